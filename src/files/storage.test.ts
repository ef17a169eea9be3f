import { randomBytes } from 'node:crypto'
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startS3 } from '../../test/s3-server.ts'
import { openStorage, type Storage } from './storage.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tradepost-storage-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))
const s3 = await startS3()
const disk = await openStorage(join(scratch, 'files'))
const bucket = await openStorage(join(scratch, 'unused'), s3.bucket)

let count = 0
async function incoming(bytes: Uint8Array): Promise<string> {
  const path = join(scratch, `incoming-${++count}`)
  await writeFile(path, bytes)
  return path
}

const unavailable = { kind: 'unavailable', code: 'storage_unavailable' }

describe.each([
  ['a directory', disk],
  ['a bucket', bucket],
])('%s', (_name, storage: Storage) => {
  test.each([0, 1, 1_000, 5_000_000])('returns %d bytes, whole and in parts', async (size) => {
    const bytes = randomBytes(size)
    const key = `ab/${randomBytes(8).toString('hex')}`
    await storage.put(key, await incoming(bytes))
    expect((await buffer(await storage.get(key))).equals(bytes)).toBe(true)
    for (const [start, end] of [
      [0, size - 1],
      [size - 1, size - 1],
      [Math.floor(size / 3), Math.floor(size / 2)],
    ] as const) {
      if (size === 0) continue
      const part = await buffer(await storage.get(key, { start, end }))
      expect(part.equals(bytes.subarray(start, end + 1))).toBe(true)
    }
    await storage.delete(key)
    await expect(storage.get(key)).rejects.toThrow()
    await storage.delete(key)
  })

  test('refuses to store a file that does not exist', async () => {
    const missing = storage.put('cd/missing', join(scratch, 'nothing'))
    await expect(missing).rejects.toMatchObject(unavailable)
    await expect(storage.get('cd/missing')).rejects.toThrow()
  })

  test('stops reading when the client stops', async () => {
    const key = 'ef/long'
    await storage.put(key, await incoming(randomBytes(3_000_000)))
    for (let i = 0; i < 20; i++) {
      const content = await storage.get(key)
      const leaving = new Writable({ write: (_chunk, _encoding, done) => done(new Error('left')) })
      await expect(pipeline(content, leaving)).rejects.toThrow('left')
      expect(content.destroyed).toBe(true)
    }
    await storage.delete(key)
  })
})

describe('a directory', () => {
  test('keeps no part of a file that could not be stored', async () => {
    await writeFile(join(scratch, 'files', 'xx'), 'in the way')
    const path = await incoming(randomBytes(10))
    await expect(disk.put('xx/key', path)).rejects.toMatchObject(unavailable)
    expect(await readdir(join(scratch, 'files'))).toContain('xx')
    await access(path)
  })
})

describe('a bucket that is not available', () => {
  const failures = async (storage: Storage, path: string) => {
    const ways = [storage.put('gh/key', path), storage.get('gh/key'), storage.delete('gh/key')]
    return (await Promise.allSettled(ways)).map((way) => way.status === 'rejected' && way.reason)
  }
  const all = [unavailable, unavailable, unavailable]

  test('is unavailable with a wrong secret', async () => {
    const strangers = await openStorage(scratch, s3.strangers)
    expect(await failures(strangers, await incoming(randomBytes(10)))).toMatchObject(all)
  })

  test('is unavailable when it hangs up, and then has nothing of the file', async () => {
    const before = await s3.count()
    const hangingUp = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.destroy())
    })
    await new Promise<void>((listening) => hangingUp.listen(0, '127.0.0.1', listening))
    const { port } = hangingUp.address() as { port: number }
    const broken = await openStorage(scratch, {
      ...s3.bucket,
      endpoint: `http://127.0.0.1:${port}`,
    })
    expect(await failures(broken, await incoming(randomBytes(1_000_000)))).toMatchObject(all)
    await new Promise((closed) => hangingUp.close(closed))
    expect(await s3.count()).toBe(before)
  })
})
