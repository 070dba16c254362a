" Models of daedal, docs/model_language.md. Statements and functions are checked against the parser
" by tests/docs/test_words.c.
if exists('b:current_syntax')
  finish
endif

syntax iskeyword @,48-57,_,192-255

" ---- statements ----
syntax keyword daeStatement model kinetic potential force constraint joint import
syntax keyword daeDeclaration param let coord state alg discrete output
syntax keyword daeBlock for system in

" contextual keywords
syntax match daeStart /\%([])0-9A-Za-z_']\s\+\)\@<=fixed\>\ze\s*\%([,;}#]\|\<rate\>\|\<atol\>\|$\)/
syntax match daeStart /\%([])0-9A-Za-z_']\s\+\)\@<=rate\>\ze\s*[^=,[' \t]/
syntax match daeStart /\%([])0-9A-Za-z_']\s\+\)\@<=atol\>\ze\s*[^=,[' \t]/
syntax match daeSetting /\%(^\|[{;]\)\s*\zs\%(method\|step\|rtol\|atol\)\>\ze\s\+[.0-9A-Za-z]/
syntax match daeDeclaration /\%(^\|[{;]\)\s*\zs\%(table\|input\)\>\ze\s\+[A-Za-z"]/
syntax match daeStart /\%(^\s*table\>.*\)\@<=\<\%(linear\|cubic\|periodic\|columns\)\>/
syntax match daeStart /\%(^\s*input\>.*\)\@<=\<\%(hold\|linear\|cubic\)\>/
syntax keyword daeSettingWord contained to from every method rtol atol step window order stages update
syntax match daeMethod /\%(\<method\s\+\)\@<=\a[-A-Za-z0-9]*/
syntax keyword daeEventWord contained rising falling stop when
syntax match daeEventWord contained /\%(:\s*\)\@<=\%(every\|at\)\>\ze\s\+[-(.0-9A-Za-z]/
syntax match daeEventWord contained /\%(\<every\>.*\)\@<=\<from\>/
syntax keyword daeShape contained line point circle sphere spring bodies radius
syntax keyword daeClause contained plane box cylinder sphere disk density inertia centre turned about along velocity omega fixed at axis axes angle driven relative radius ellipsoid normal length stiffness damping free turning on from to
syntax keyword daeClause contained mass rod x y z
syntax cluster daeTerms contains=daeStatement,daeDeclaration,daeLabel,daeMethod,daeFunction,
      \daeMultiplier,daeConstant,daeNumber,daeOperator,daeRate,daeString
syntax region daeSimulateLine transparent oneline matchgroup=daeStatement
      \ start=/\<simulate\>/ end=/\ze[;}#]/ end=/$/ contains=@daeTerms,daeSettingWord
syntax region daeEventLine transparent oneline matchgroup=daeStatement
      \ start=/\<event\>/ end=/\ze[;{}#]/ end=/$/ contains=@daeTerms,daeEventWord
syntax region daeDrawLine transparent oneline matchgroup=daeStatement
      \ start=/\<draw\>/ end=/\ze[;}#]/ end=/$/ contains=@daeTerms,daeShape

syntax keyword daeContactWord contained restitution friction along
syntax region daeContactLine transparent oneline matchgroup=daeStatement
      \ start=/\%(^\|[{;]\)\s*\zs\%(impact\|contact\)\>\ze\s\+[A-Za-z]/ end=/\ze[;{}#]/ end=/$/ contains=@daeTerms,daeContactWord

" statements on bodies: their words are not reserved
syntax region daeBodyLine transparent oneline matchgroup=daeStatement
      \ start=/\%(^\|[{;]\)\s*\zs\<\%(body\|gravity\|mass\|spherical\|revolute\|universal\|cylindrical\|prismatic\|planar\|weld\|pin\|rolling\|bushing\|rod\|spring\|damper\|torque\|dissipation\|part\|camera\)\>\ze\s\+[.(0-9A-Za-z]/
      \ end=/\ze[;{}#]/ end=/$/ contains=@daeTerms,daeClause

" labels after constraint, joint, event: rod: and rod[i]:
syntax match daeLabel /\%(\<\%(constraint\|joint\|event\)\s\+\)\@<=[^][(){}=:;,#' \t]\+\%(\[[^]]*\]\)\?\ze\s*:/

" ---- expressions ----
syntax keyword daeFunction sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt
syntax keyword daeFunction abs sign floor min max mod hypot if sum smooth noevent dot cross norm unit
syntax match daeMultiplier /\<\%(lambda\|psi\)\>\ze\s*(/
syntax keyword daeConstant t pi

" numbers, without the dots of a range as in 1..N
syntax match daeNumber /\<\d\+\%(\.\.\@!\d*\)\?\%([eE][-+]\?\d\+\)\?/
syntax match daeNumber /\.\d\+\%([eE][-+]\?\d\+\)\?/
syntax match daeOperator /\.\.\|[-+*\/^!<>=]\|&&\|||/
syntax match daeRate /'/

syntax match daeComment /#.*/ contains=@Spell
syntax match daeString /"[^"]*"/ contains=@Spell

highlight default link daeStatement Statement
highlight default link daeDeclaration Type
highlight default link daeBlock Repeat
highlight default link daeStart StorageClass
highlight default link daeSetting StorageClass
highlight default link daeSettingWord StorageClass
highlight default link daeMethod Identifier
highlight default link daeEventWord StorageClass
highlight default link daeContactWord StorageClass
highlight default link daeShape StorageClass
highlight default link daeClause StorageClass
highlight default link daeLabel Label
highlight default link daeFunction Function
highlight default link daeMultiplier Function
highlight default link daeConstant Constant
highlight default link daeNumber Number
highlight default link daeOperator Operator
highlight default link daeRate Special
highlight default link daeComment Comment
highlight default link daeString String

let b:current_syntax = 'dae'
