# Completion of the command `daedal` for bash: commands, options, methods, models, papers, columns.

# names of all methods, or of the options of one, as the command itself lists them
_daedal_names()
{
  command "$1" methods --names ${2:+"$2"} 2>/dev/null
}

# the method named on the command line
_daedal_method()
{
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --method) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); echo "${COMP_WORDS[i + 1]}" ;;
      --method=*) echo "${COMP_WORDS[i]#*=}" ;;
    esac
  done
}

_daedal_files()
{
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -X "!*.$1" -- "$2") $(compgen -d -- "$2"))
}

_daedal_folders()
{
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$1"))
}

_daedal_papers()
{
  echo all
  command "$1" reproduce --names 2>/dev/null
}

# columns of the CSV file on the command line, quoted for the shell
_daedal_columns()
{
  local i name
  COMPREPLY=()
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == *.csv ]] || continue
    while IFS= read -r name; do
      [[ $name == "$2"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
    done < <(command "$1" plot "${COMP_WORDS[i]}" --names 2>/dev/null)
    return
  done
  _daedal_files csv "$2"
}

_daedal_run_options()
{
  local method=$(_daedal_method)
  echo --method --conserve --to --rtol --atol --step --order --stages --damp --damp-time \
    --window --sweep --verify --check-error --strict --set --set-from --input --jit --every --out --report --json --checkpoint \
    --checkpoint-every --quiet --verbose --help
  [[ -n $method && $method != auto ]] && _daedal_names "$1" "$method" | sed 's/^/--/'
}

_daedal()
{
  local program=$1 current=$2 previous=$3
  local commands="run resume check compare plot reproduce methods new help" command=${COMP_WORDS[1]}
  COMPREPLY=()
  # --name=value: bash breaks the word at the sign
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$current"))
    return
  fi
  case $previous in
    --method) COMPREPLY=($(compgen -W "auto $(_daedal_names "$program")" -- "$current")); return ;;
    --out)
      case $command in
        reproduce) _daedal_folders "$current" ;;
        *) _daedal_files csv "$current" ;;
      esac
      return ;;
    --methods)
      local given=""
      [[ $current == *,* ]] && given=${current%,*},
      compopt -o nospace 2>/dev/null
      COMPREPLY=($(compgen -P "$given" -W "$(_daedal_names "$program")" -- "${current##*,}")); return ;;
    --svg) _daedal_files svg "$current"; return ;;
    --input) _daedal_files csv "$current"; return ;;
    --checkpoint | --set-from) compopt -o default 2>/dev/null; COMPREPLY=(); return ;;
    --over) _daedal_columns "$program" "$current"; return ;;
    --from) [[ $command == new ]] && _daedal_files urdf "$current"; return ;;
    --width | --height | --title | --seconds) return ;;
    --json) _daedal_files json "$current"; return ;;
    --report) _daedal_files html "$current"; return ;;
    --to | --rtol | --atol | --step | --order | --stages | --damp-time | --window | --sweep | --set | --every | \
      --checkpoint-every) return ;;
  esac
  case $command:$current in
    run:-*) COMPREPLY=($(compgen -W "$(_daedal_run_options "$program")" -- "$current")) ;;
    resume:-*) COMPREPLY=($(compgen -W "--quiet --help" -- "$current")) ;;
    check:-*) COMPREPLY=($(compgen -W "--set --set-from --input --help" -- "$current")) ;;
    compare:-*)
      COMPREPLY=($(compgen -W "--methods --rtol --to --set --set-from --input --jit --seconds --report --out --json --quiet \
        --help" -- "$current")) ;;
    plot:-*)
      COMPREPLY=($(compgen -W "--svg --width --height --ascii --over --from --to --log --log-x \
        --equal --title --names --help" -- "$current")) ;;
    reproduce:-*) COMPREPLY=($(compgen -W "--out --report --json --quick --iteration --names --quiet --help" -- "$current")) ;;
    methods:-*) COMPREPLY=($(compgen -W "--names --help" -- "$current")) ;;
    new:-*) COMPREPLY=($(compgen -W "--from --floating --help" -- "$current")) ;;
    *:-*) COMPREPLY=($(compgen -W "--help" -- "$current")) ;;
    resume:*) compopt -o default 2>/dev/null; COMPREPLY=() ;;
    run:* | check:* | compare:*) _daedal_files dae "$current" ;;
    plot:*) _daedal_columns "$program" "$current" ;;
    reproduce:*) COMPREPLY=($(compgen -W "$(_daedal_papers "$program")" -- "$current")) ;;
    methods:*) COMPREPLY=($(compgen -W "auto $(_daedal_names "$program")" -- "$current")) ;;
    help:*) COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;
  esac
}

complete -F _daedal daedal
