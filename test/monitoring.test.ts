import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { startServer } from './harness.ts'

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}
interface Panel {
  title: string
  targets: { expr: string }[]
}

const rules: Rule[] = parse(
  readFileSync('packaging/monitoring/alerts.yaml', 'utf8'),
).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
const panels: Panel[] = JSON.parse(readFileSync('packaging/monitoring/grafana.json', 'utf8')).panels
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
]

const server = await startServer({ jobs: false })

async function metricNames() {
  const { text } = await server.get('/metrics', { authorization: '' })
  return new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
}

test.each(expressions)('%s: %s is valid and reads metrics that exist', async (_title, expr) => {
  const faults: number[] = []
  parser.parse(expr).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(from)
    },
  })
  expect(faults).toEqual([])
  const known = await metricNames()
  const names = [...expr.matchAll(/\btradepost_\w+/g)].map(([name]) => name)
  const missing = names.filter(
    (name) => !known.has(name) && !known.has(name.replace(/_(?:bucket|count|sum)$/, '')),
  )
  expect(missing).toEqual([])
})

/** Metrics that always have all values of their labels. */
const WHOLE = [
  ...['tradepost_late_rows', 'tradepost_late_seconds', 'tradepost_paused', 'tradepost_mails_total'],
  ...['tradepost_database_connections', 'tradepost_webhook_attempts_total'],
  ...['tradepost_provider_notices_total', 'tradepost_request_log_lines_total'],
]

/** Returns the labels of each metric that has values, and the values of each label. */
async function metricLabels() {
  await server.post('/api/payment-service/external/v1/invoices', {})
  const { text } = await server.get('/metrics', { authorization: '' })
  const found = new Map<string, Map<string, Set<string>>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name) ?? new Map<string, Set<string>>()
    found.set(name, known)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  }
  return found
}
const labels = await metricLabels()

test.each(expressions)('%s: %s uses labels and values that exist', (_title, expr) => {
  const selectors = [...expr.matchAll(/\b(tradepost_\w+)(?:\{([^}]*)\})?/g)]
  for (const [, name = '', matchers = ''] of selectors) {
    const known = labels.get(name)
    // On a new server, some metrics have no values yet.
    if (!known) continue
    for (const [, label = '', sign = '', text = ''] of matchers.matchAll(/(\w+)(\W+)"([^"]*)"/g)) {
      expect([...known.keys()]).toContain(label)
      const values = sign.endsWith('~') ? text.split('|') : [text]
      if (WHOLE.includes(name)) {
        expect([...known.get(label)!]).toEqual(expect.arrayContaining(values))
      }
    }
  }
  const all = selectors.map(([, name = '']) => labels.get(name))
  if (all.includes(undefined)) return
  const names = all.flatMap((known) => [...known!.keys()])
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  expect(names).toEqual(expect.arrayContaining(groups))
})

test('a new server has values of the metrics whose labels are checked in full', () => {
  for (const name of WHOLE) expect(labels.get(name)?.size, name).toBe(1)
  expect(labels.get('tradepost_http_request_seconds_bucket')?.has('le')).toBe(true)
})

/** Returns what the comparisons in an expression compare a value with. */
function comparedWith(expr: string): string[] {
  const found: string[] = []
  parser.parse(expr).iterate({
    enter: ({ name, node }) => {
      const isComparison = ['Gtr', 'Gte', 'Lss', 'Lte'].some((sign) => node.getChild(sign))
      if (name !== 'BinaryExpr' || !isComparison) return
      const { from, to } = node.lastChild!
      found.push(expr.slice(from, to))
    },
  })
  return found
}

test('alerts compare values only with what always exists: nothing exceeds a missing series', () => {
  const compared = rules.flatMap(({ expr }) => comparedWith(expr))
  expect(compared.length).toBeGreaterThan(rules.length / 2)
  const missing = compared.filter((right) => {
    const names = [...right.matchAll(/\btradepost_\w+/g)].map(([name]) => name)
    return !names.every((name) => WHOLE.includes(name)) && !right.includes('or vector(0)')
  })
  expect(missing).toEqual([])
})

test('the chart gives the job the name that alerts and panels use', () => {
  const jobs = expressions.flatMap(([, expr]) => [...expr.matchAll(/\bjob="(\w+)"/g)])
  const { name } = parse(readFileSync('packaging/helm/Chart.yaml', 'utf8'))
  expect(new Set(jobs.map(([, job]) => job))).toEqual(new Set([name]))
  const monitor = readFileSync('packaging/helm/templates/pod-monitor.yaml', 'utf8')
  expect(monitor).toMatch(/^ {2}jobLabel: app\.kubernetes\.io\/name$/m)
  const helpers = readFileSync('packaging/helm/templates/_helpers.tpl', 'utf8')
  expect(helpers).toContain('app.kubernetes.io/name: {{ .Chart.Name }}')
})

test('the run book has a section for each alert, in the same order', () => {
  const sections = readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (Tradepost\w+)$/gm)
  expect([...sections].map(([, alert]) => alert)).toEqual(rules.map(({ alert }) => alert))
  for (const { labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/)
  }
})
