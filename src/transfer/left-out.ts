import type { TableInfo } from '#db-transfer'

/** Of the moment, or made anew from the rest: counters, leases, texts for searching, bytes of files, the move itself. */
const LEFT_OUT =
  /^(kernel_(counters|leases|sequences|moves|move_tables)|content_search(_.*)?|content_file_(bytes|chunks)|operation_nodes)$/

export function isKept({ name }: Pick<TableInfo, 'name'>): boolean {
  return !LEFT_OUT.test(name)
}
