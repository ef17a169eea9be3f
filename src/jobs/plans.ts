import type { Job } from './jobs.ts'

/** Below this size, any plan reads a table quickly. */
const SIZE_MIN_BYTES = 131_072

/**
 * Discards query plans when a table has doubled in size, because plans suit the size that tables
 * had when the plans were made. PostgreSQL itself discards them only after its next `analyze`,
 * minutes later.
 */
export function planJob(): Job {
  const sizes = new Map<string, number>()
  return {
    name: 'plans',
    everyMs: 2_000,
    isOfProcess: true,
    async run(db) {
      const tables = await db.many<{ name: string; bytes: number }>`
        select relname as name, pg_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace`
      const grown = tables.filter(({ name, bytes }) => {
        const before = sizes.get(name)
        return before !== undefined && bytes >= Math.max(2 * before, SIZE_MIN_BYTES)
      })
      if (grown.length > 0) db.replan()
      for (const table of grown) sizes.set(table.name, table.bytes)
      for (const { name, bytes } of tables)
        sizes.set(name, Math.min(bytes, sizes.get(name) ?? bytes))
      return 0
    },
  }
}
