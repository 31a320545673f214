# What tt's own targets are compiled with. Not part of tt::tt: a user chooses their own warnings.
add_library(tt_warnings INTERFACE)
target_compile_options(tt_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${TT_WERROR}>:-Werror>)
