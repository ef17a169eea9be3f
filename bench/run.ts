/** `npm run bench NAME` prints the ratios of a benchmark, measured within one run. */
const BENCHES: Record<string, { what: string; run(): Promise<{ default?: unknown }> }> = {
  checkout: {
    what: 'starting checkouts of one product with its stock reserved, against the same SQL',
    run: () => import('./checkout.ts'),
  },
  hostile: {
    what: 'how long costly refused requests block others',
    run: () => import('./hostile.ts'),
  },
  invoices: {
    what: 'POST invoices against the same route without a database, and against pgbench',
    run: () => import('./invoices.ts'),
  },
  lists: {
    what: 'the list of invoices and its search, at 1,000 and at 1,000,000 rows',
    run: () => import('./lists.ts'),
  },
  'lists-transactions': {
    what: 'the list of transactions, its search and totals, at 1,000 and at 1,000,000 rows',
    run: () => import('./lists-transactions.ts'),
  },
  'lists-money': {
    what: 'transfers, refunds, subaccounts, settlements and the rest, at 1,000 and 1,000,000 rows',
    run: () => import('./lists-money.ts'),
  },
  'lists-products': {
    what: 'the list of products and its search, at 1,000 and at 1,000,000 rows',
    run: () => import('./lists-products.ts'),
  },
  'lists-trgm': {
    what: 'what the search of lists would cost with `pg_trgm`',
    run: () => import('./lists-trgm.ts'),
  },
  pages: {
    what: 'weight and first paint of payer pages, against a bare page',
    run: () => import('./pages.ts'),
  },
  products: {
    what: 'creating, getting and listing products, against a bare Fastify and pg',
    run: () => import('./products.ts'),
  },
  settle: {
    what: 'settling charges into one wallet, batched and in one transaction each',
    run: () => import('./settle.ts'),
  },
  start: {
    what: 'first start, start with an existing directory, idle memory',
    run: () => import('./start.ts'),
  },
  webhooks: {
    what: 'deliveries to an endpoint that responds at once, beside one that never does',
    run: () => import('./webhooks.ts'),
  },
}

const [name = ''] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench) await bench.run()
else {
  const names = Object.entries(BENCHES).map(([one, { what }]) => `  ${one.padEnd(20)} ${what}`)
  process.stderr.write(`Choose a benchmark: npm run bench NAME\n\n${names.join('\n')}\n`)
  process.exitCode = name ? 2 : 0
}
