import { REFERENCE_TABLES } from '../../src/db/distributed/tables.ts'

/** Each table of the migrated schema with its columns, in order. */
export type Schema = Record<string, string[]>

/** The file of a run that contains its `Schema`. */
export const SCHEMA = 'schema.json'

/** The column that holds the id of a business, if the table has one. */
export function businessColumn(table: string, columns: readonly string[]): string | undefined {
  if (table === 'businesses') return 'id'
  return columns.includes('business_id') ? 'business_id' : undefined
}

/** Returns tables that are neither a reference table nor have a `business_id`. */
export const tablesWithoutBusiness = (schema: Schema): string[] =>
  Object.entries(schema)
    .filter(
      ([table, columns]) => !REFERENCE_TABLES.includes(table) && !businessColumn(table, columns),
    )
    .map(([table]) => table)
