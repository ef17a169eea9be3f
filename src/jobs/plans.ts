import type { Sweeper } from './jobs.ts'

/** Below this size, any plan reads a table quickly. */
const SIZE_MIN_BYTES = 1_048_576

/**
 * Discards query plans when a table has doubled in size, because plans suit the size that tables
 * had when the plans were made. PostgreSQL itself only does so after its next `analyze`, minutes
 * later.
 */
export function planSweeper(): Sweeper {
  const sizes = new Map<string, number>()
  return {
    name: 'plans',
    everyMs: 5_000,
    async sweep(db) {
      const tables = await db.many<{ name: string; bytes: number }>`
        select relname as name, pg_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and relnamespace = current_schema()::regnamespace`
      const grown = tables.filter(({ name, bytes }) => {
        const before = sizes.get(name)
        return before === undefined || bytes >= Math.max(2 * before, SIZE_MIN_BYTES)
      })
      if (grown.some(({ name }) => sizes.has(name))) db.replan()
      for (const { name, bytes } of grown) sizes.set(name, bytes)
      return 0
    },
  }
}
