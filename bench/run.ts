/** `npm run bench NAME`: each prints its ratios, measured within one run. */
const BENCHES: Record<string, { what: string; run(): Promise<{ default?: unknown }> }> = {
  invoices: {
    what: 'POST invoices beside the same route without a database, and beside pgbench',
    run: () => import('./invoices.ts'),
  },
  lists: {
    what: 'the list of invoices and its search, at 1,000 and at 1,000,000 rows',
    run: () => import('./lists.ts'),
  },
  start: {
    what: 'first start ever, start on an existing directory, idle memory',
    run: () => import('./start.ts'),
  },
}

const [name = ''] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench) await bench.run()
else {
  const names = Object.entries(BENCHES).map(([one, { what }]) => `  ${one.padEnd(10)} ${what}`)
  process.stderr.write(`Say which: npm run bench NAME\n\n${names.join('\n')}\n`)
  process.exitCode = name ? 2 : 0
}
