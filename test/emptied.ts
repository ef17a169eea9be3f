import pg from 'pg'

/** Deleting more rows than this leaves pages that slow down the next file. */
const ROWS_MAX = 3_000
const SETTLED_TRIES = 200

/** Empties a database again, except for tables that have rows now. */
export async function openEmptier(superuser: pg.ClientConfig) {
  const client = new pg.Client(superuser)
  await client.connect()
  // Turns foreign keys off, so that rows can be deleted in any order.
  await client.query('set session_replication_role = replica')
  const tables = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    return rows.map(({ name }) => name)
  }
  const filled = async (names: string[]): Promise<string[]> => {
    const each = names.map((name) => `select '${name}' as name where exists (select from ${name})`)
    const found = await client.query<{ name: string }>(each.join(' union all '))
    return found.rows.map(({ name }) => name)
  }
  const all = await tables()
  const lasting = new Set(await filled(all))
  const emptied = all.filter((name) => !lasting.has(name))

  /** Waits until no statement runs, so that nothing is written afterwards. */
  async function isSettled(): Promise<boolean> {
    for (let left = SETTLED_TRIES, quiet = 0; left > 0; left--) {
      const { rows: busy } = await client.query(
        `select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      )
      quiet = busy.length === 0 ? quiet + 1 : 0
      if (quiet === 2) return true
      await new Promise((wake) => setTimeout(wake, 5))
    }
    return false
  }

  return {
    /** Returns false if the database cannot be reused. */
    async empty(): Promise<boolean> {
      if (!(await isSettled()) || (await tables()).length !== all.length) return false
      const names = await filled(emptied)
      if (names.length === 0) return true
      // A query of several statements has several results.
      const deleted = await client.query(names.map((name) => `delete from ${name}`).join(';'))
      const results = [deleted].flat()
      const count = results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
      return count <= ROWS_MAX
    },
    close: () => client.end(),
  }
}
