" Models of daedal. COLLADA scenes end in .dae as well, and those are XML.
autocmd BufRead,BufNewFile *.dae if getline(1) !~# '^\%uFEFF\?\s*<' | set filetype=dae | endif
