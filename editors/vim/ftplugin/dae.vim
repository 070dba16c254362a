" Models of daedal: comments, words, imports.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal iskeyword=@,48-57,_,192-255
setlocal suffixesadd=.dae include=^\\s*import
setlocal formatoptions-=t formatoptions+=croql

let b:undo_ftplugin = 'setlocal comments< commentstring< iskeyword< suffixesadd< include< formatoptions<'
