import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { generate } from '../../sdk/generate/generate.ts'
import type { Document } from '../../sdk/generate/openapi.ts'
import { startServer } from '../harness.ts'

const BIOME = 'node_modules/.bin/biome'
const FILE = 'sdk/src/operations.ts'

const server = await startServer({ sweepers: false })
const { body } = await server.get('/openapi.json', { authorization: '' })
const document = body as Document

const formatted = (text: string) =>
  execFileSync(BIOME, ['format', `--stdin-file-path=${FILE}`], { input: text, encoding: 'utf8' })

describe('the operations of the SDK', () => {
  test('are those of the server, as it describes them', async () => {
    await expect(formatted(generate(document))).toMatchFileSnapshot(`../../${FILE}`)
  })
})
