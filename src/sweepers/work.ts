/**
 * Does `work` with each of the rows, up to `atOnce` at a time. One that fails keeps none of the
 * others from its turn: the first failure is thrown when all are done.
 */
export async function workThrough<Row>(
  rows: readonly Row[],
  atOnce: number,
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  const waiting = rows.values()
  const worker = async () => {
    for (const row of waiting) await work(row).catch((error) => failures.push(error))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}
