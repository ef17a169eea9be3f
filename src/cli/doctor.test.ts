import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHome } from './cli.fixture.ts'

const { scratch, tradepost } = await openHome()

describe('doctor', () => {
  const checkOf = (stdout: string, name: string) =>
    JSON.parse(stdout).checks.find((check: { name: string }) => check.name === name)

  test('3 and also reports another program on the port', async () => {
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    const env = { PORT: String(port), DATA_DIR: join(scratch, 'none') }
    const { status, stdout } = await tradepost(['doctor', '--json'], env)
    other.close()

    expect(status).toBe(3)
    expect(checkOf(stdout, 'port')).toEqual({
      name: 'port',
      level: 'bad',
      says: `another program is using 127.0.0.1:${port}`,
      fix: 'stop it, or set PORT to a free port',
    })
  })

  test('1 for a data directory that is a file', async () => {
    const path = join(scratch, 'file')
    await writeFile(path, '')
    const { status, stdout } = await tradepost(['doctor', '--json'], { DATA_DIR: path })

    expect(status).toBe(1)
    expect(checkOf(stdout, 'data').level).toBe('bad')
  })

  test('1 for an invalid setting, and for a missing database', async () => {
    const wrong = await tradepost(['doctor', '--json'], { RATE_LIMIT: 'fast' })
    expect([wrong.status, checkOf(wrong.stdout, 'settings').level]).toEqual([1, 'bad'])
    const url = 'postgres://ada:secret-word@127.0.0.1:1/x'
    const gone = await tradepost(['doctor', '--json'], { DATABASE_URL: url })
    expect([gone.status, checkOf(gone.stdout, 'database').level]).toEqual([1, 'bad'])
    expect(gone.stdout).not.toContain('secret-word')
  })

  test('3 without a database, and creates none', async () => {
    const env = { HOST: '0.0.0.0', DATA_DIR: join(scratch, 'none') }
    const { status, stdout } = await tradepost(['doctor'], env)

    expect(status).toBe(3)
    expect(stdout).toContain('fix: set PUBLIC_URL')
    expect(stdout).toContain(`there is no database in ${join(scratch, 'none')}`)
    expect(existsSync(join(scratch, 'none'))).toBe(false)
  })
})
