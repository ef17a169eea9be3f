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

test('the run book has a section for each alert, in the same order', () => {
  const sections = readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (Tradepost\w+)$/gm)
  expect([...sections].map(([, alert]) => alert)).toEqual(rules.map(({ alert }) => alert))
  for (const { labels, annotations } of rules) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/)
  }
})
