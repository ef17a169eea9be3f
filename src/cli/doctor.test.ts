import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { startS3 } from '../../test/s3-server.ts'
import { databaseSettings, openHome } from './cli.fixture.ts'

const { scratch, tradepost, json } = await openHome()
const s3 = await startS3()

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

  test('3 and also reports a bucket that refuses the key or does not respond', async () => {
    const look = async (STORAGE_URL: string) => {
      const env = { STORAGE_URL, DATA_DIR: join(scratch, 'none') }
      const { stdout } = await tradepost(['doctor', '--json'], env)
      expect(stdout).not.toContain('S3RVER:')
      return checkOf(stdout, 'bucket')
    }
    const where = `the bucket shop at ${s3.bucket.endpoint}`
    expect(await look(s3.url)).toMatchObject({ level: 'ok', says: `${where} can be read` })
    const refused = { level: 'bad', says: expect.stringContaining(`${where} cannot be read: `) }
    expect(await look(s3.strangersUrl)).toMatchObject(refused)
    await s3.stop()
    expect(await look(s3.url)).toMatchObject(refused)
  })

  test('1 for a data directory that is a file, also with DATABASE_URL', async () => {
    const path = join(scratch, 'another-file')
    await writeFile(path, '')
    const env = { DATA_DIR: path, DATABASE_URL: 'postgres://ada@127.0.0.1:1/x' }
    const { status, stdout } = await tradepost(['doctor', '--json'], env)
    expect([status, checkOf(stdout, 'data').level]).toEqual([1, 'bad'])
    expect(checkOf(stdout, 'disk').says).toContain('MiB free')
  })

  test('1 if the archive of old rows cannot be written', async () => {
    const look = async (path: string) => {
      const env = { DATA_DIR: join(scratch, 'none'), RETENTION_ARCHIVE: path }
      return checkOf((await tradepost(['doctor', '--json'], env)).stdout, 'retention')
    }
    const file = join(scratch, 'archive-file')
    await writeFile(file, '')
    expect(await look(file)).toMatchObject({ level: 'bad', says: `${file} is not a directory` })
    const missing = await look(join(scratch, 'not-mounted'))
    expect(missing).toMatchObject({ level: 'bad', says: expect.stringContaining('does not exist') })
    expect(await look(scratch)).toMatchObject({ level: 'ok' })
  })

  test('0 with a warning if the last backup is old, or there is none', async () => {
    const { name } = await testDatabase()
    const env = { ...databaseSettings(name), DATA_DIR: join(scratch, 'none'), PORT: '0' }
    const look = async () => {
      const { ok, checks } = await json(['doctor'], env)
      expect(ok).toBe(true)
      return checks.find((check: { name: string }) => check.name === 'backup')
    }
    // There is nothing to back up.
    expect(await look()).toBeUndefined()
    await json(['business', 'create', 'Ada Ventures'], env)
    const fresh = { level: 'ok', says: 'no backup since the start, 0 h ago' }
    expect(await look()).toMatchObject(fresh)
    await asOwner(name, (owner) =>
      owner.query("update businesses set created_at = now() - interval '73 hours'"),
    )
    const never = { level: 'warn', says: 'no backup since the start, 3 days ago' }
    expect(await look()).toMatchObject(never)
    const backUp = (hours: number) =>
      asOwner(name, (owner) =>
        owner.query(
          `insert into backups (name, target, made_at, bytes)
           values ($1::text, 'disk', now() - $1::int * interval '1 hour', 1)`,
          [hours],
        ),
      )
    await backUp(37)
    expect(await look()).toMatchObject({ level: 'warn', says: 'the last backup is 37 h old' })
    await backUp(2)
    expect(await look()).toMatchObject({ level: 'ok', says: 'the last backup is 2 h old' })
  })

  test('3 and also warns about a mail server that refuses the password or is away', async () => {
    const mail = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) =>
        password === 'open-sesame'
          ? done(null, { user: 'ada' })
          : done(new Error('Wrong password')),
    })
    const look = async (password: string, port = mail.port) => {
      const env = {
        SMTP_URL: `smtp://ada:${password}@127.0.0.1:${port}`,
        MAIL_FROM: 'mails@pay.example',
        DATA_DIR: join(scratch, 'none'),
      }
      const { stdout } = await tradepost(['doctor', '--json'], env)
      expect(stdout).not.toContain(password)
      return checkOf(stdout, 'mail')
    }
    const where = 'the mail server 127.0.0.1'
    expect(await look('open-sesame')).toMatchObject({
      level: 'ok',
      says: `${where} can be reached and accepts the password`,
    })
    const refused = { level: 'warn', says: expect.stringContaining(`${where} cannot be used: `) }
    expect(await look('hunter2')).toMatchObject(refused)
    expect(await look('hunter2', 1)).toMatchObject(refused)
    expect(mail.seen).toEqual([])
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
