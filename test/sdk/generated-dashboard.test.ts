import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { generateForDashboard } from '../../sdk/generate/dashboard.ts'
import type { Document } from '../../sdk/generate/openapi.ts'
import { plainDocument } from '../../src/lib/openapi.ts'
import { startServer } from '../harness.ts'

const BIOME = 'node_modules/.bin/biome'
const FILE = 'dashboard/src/api/operations.ts'

const server = await startServer({ jobs: false })
const { body } = await server.get('/openapi.json', { authorization: '' })
const api = plainDocument(body as Document)
const own = JSON.parse(JSON.stringify(server.app.describeConsole())) as Document

const formatted = (text: string) =>
  execFileSync(BIOME, ['check', '--write', `--stdin-file-path=${FILE}`], {
    input: text,
    encoding: 'utf8',
  })

test('the operations of the dashboard match those of the server', async () => {
  const generated = formatted(generateForDashboard(api, own))
  await expect(generated).toMatchFileSnapshot(`../../${FILE}`)
})

test('operations of only the dashboard are in no public document', () => {
  expect(Object.keys(own.paths).length).toBeGreaterThan(45)
  expect(Object.keys(own.paths).filter((path) => !path.startsWith('/console/'))).toEqual([])
  expect(Object.keys(body.paths).filter((path) => path.startsWith('/console'))).toEqual([])
})

test('two operations with the same name are refused', () => {
  const content = { 'application/json': { schema: { type: 'object' } } }
  const get = {
    operationId: 'get_team',
    summary: 'The team',
    tags: ['Console'],
    responses: { 200: { content } },
  }
  const paths = { '/a': { get }, '/b': { get } }
  expect(() => generateForDashboard({ paths: {} }, { paths })).toThrow(/get_team/)
})
