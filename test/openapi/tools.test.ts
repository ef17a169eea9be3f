import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'

const run = promisify(execFile)
/** Stops the tools from reporting usage, checking for updates and using the network. */
const ENV = {
  ...process.env,
  NO_COLOR: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
}

const server = await startServer({ jobs: false })
const folder = await mkdtemp(join(tmpdir(), 'tradepost-openapi-'))
const document = join(folder, 'openapi.json')
await writeFile(document, (await server.get('/openapi.json', { authorization: '' })).text)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a tool. Returns its output and exit code. */
async function tool(name: string, ...given: string[]) {
  const command = [`node_modules/.bin/${name}`, ...given]
  const options = { env: ENV, maxBuffer: 64 * 1024 * 1024 }
  return run(process.execPath, command, options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout, stderr }) => ({ code, stdout: `${stdout}${stderr}` }),
  )
}

describe('/openapi.json', () => {
  test('passes the recommended rules of Redocly without an error or warning', async () => {
    const config = '--config=test/openapi/redocly.yaml'
    const { code, stdout } = await tool('redocly', 'lint', document, config, '--format=json')
    const { problems, totals } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect([code, totals]).toEqual([0, { errors: 0, warnings: 0, ignored: 0 }])
  })

  test('passes the rules of Spectral without an error, warning or hint', async () => {
    const report = join(folder, 'spectral.json')
    const rules = ['--ruleset=test/openapi/spectral.yaml', '--fail-severity=hint']
    const { code } = await tool('spectral', 'lint', document, ...rules, '-f=json', `-o=${report}`)
    expect([code, JSON.parse(await readFile(report, 'utf8'))]).toEqual([0, []])
  })
})

describe('a client generated from /openapi.json', () => {
  /** Compiles a generated client with a program that uses it. Returns the exit code and output. */
  async function compiled(name: string, program: string) {
    const own = join(folder, name)
    const modules = resolve('node_modules')
    await writeFile(join(own, 'program.ts'), program)
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      types: [],
      target: 'es2023',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      paths: {
        '@oazapfts/runtime': [`${modules}/@oazapfts/runtime`],
        '@oazapfts/runtime/*': [`${modules}/@oazapfts/runtime/*`],
      },
    }
    const config = join(own, 'tsconfig.json')
    await writeFile(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const { code, stdout } = await tool('tsc', '-p', config)
    return [code, stdout]
  }

  test('by swagger-typescript-api compiles', async () => {
    const own = join(folder, 'swagger')
    const given = ['-p', document, '-o', own, '-n', 'client.ts', '--responses', '--silent']
    expect(await tool('swagger-typescript-api', 'generate', ...given)).toMatchObject({ code: 0 })
    const program = `import { Api } from './client'
      const made = await new Api().api.createInvoice({ customerEmail: 'a@b.example', amount: 4 })
      export const reference: string = made.data.data.reference
      export const listed = (await new Api().api.listInvoices({})).data.data.length satisfies number
      // @ts-expect-error: an invoice has no such field
      made.data.data.nothing`
    expect(await compiled('swagger', program)).toEqual([0, ''])
  })

  test('by oazapfts compiles', async () => {
    await mkdir(join(folder, 'oazapfts'))
    const made = await tool('oazapfts', document, join(folder, 'oazapfts', 'client.ts'))
    expect(made).toMatchObject({ code: 0 })
    const program = `import { createInvoice, listInvoices } from './client'
      const made = await createInvoice({ customerEmail: 'a@b.example', amount: 4 })
      if (made.status === 201) made.data.data.reference satisfies string
      else made.data.errors satisfies Record<string, string[]>
      // @ts-expect-error: an error has no record
      if (made.status === 422) made.data.data
      export const listed = await listInvoices()`
    expect(await compiled('oazapfts', program)).toEqual([0, ''])
  })
})
