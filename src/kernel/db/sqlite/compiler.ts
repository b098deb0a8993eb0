import { type LimitNode, type RawNode, SqliteQueryCompiler } from 'kysely'

/**
 * SQLite looks at the value of a parameter that is a limit when it plans, and then prepares the
 * statement anew each time one is bound, which can take longer than running it. With a sign before it
 * the parameter is an expression like any other, and what was prepared stays so.
 */
export class SignedLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit +')
    this.visitNode(limit)
  }

  protected override visitRaw(node: RawNode): void {
    const sqlFragments = node.sqlFragments.map((text) =>
      text.endsWith(' limit ') ? `${text}+` : text,
    )
    super.visitRaw({ ...node, sqlFragments })
  }
}
