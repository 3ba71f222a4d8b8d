_steady() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} place="" index
    # Bash splits words at an equals sign: --rule=paired-t are three of them.
    if [[ $cur == "=" ]]; then
        cur=""
    elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$place ${COMP_WORDS[index]}" in
            @places@) place="$place ${COMP_WORDS[index]}" ;;
        esac
    done
    local words=""
    case "$place|$prev" in
@values@
    *) case "$place|$cur" in
@options@
@commands@
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _steady steady
