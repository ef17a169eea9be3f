import { connect, createServer, type Socket } from 'node:net'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { adviceOn, inspectLine } from './connect.ts'

const { owner } = inject('cluster')
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12])

/** A proxy that changes the database's first messages, like a pooler. */
async function startLine(change: (bytes: Buffer) => Buffer) {
  const sockets = new Set<Socket>()
  const listener = createServer((near) => {
    const far = connect(`${owner.host}/.s.PGSQL.${owner.port}`)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy())
    far.on('data', (bytes) => near.write(change(bytes))).on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    listener.close()
  })
  const { port } = listener.address() as { port: number }
  return { ...owner, host: '127.0.0.1', port }
}

function withOwnKey(bytes: Buffer): Buffer {
  const at = bytes.indexOf(KEY_DATA)
  if (at >= 0) bytes.writeInt32BE(77, at + KEY_DATA.length)
  return bytes
}

/** An ErrorResponse in place of the first response. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

describe('the line between us and PostgreSQL', () => {
  test('is direct without a pooler', async () => {
    const line = await inspectLine(owner)
    expect([line, adviceOn(line)]).toEqual([{ kind: 'direct' }, undefined])
    expect(await inspectLine(await startLine((bytes) => bytes))).toEqual({ kind: 'direct' })
  })

  test('has a pooler if the cancel key is not that of the session', async () => {
    const line = await inspectLine(await startLine(withOwnKey))
    expect(line).toEqual({ kind: 'session', keepsSettings: true })
    expect(adviceOn(line)).toMatchObject({ works: true })
  })

  test('has an unsupported pooler if it refuses our time-outs', async () => {
    const says = refusal('unsupported startup parameter: statement_timeout')
    const line = await inspectLine(await startLine(() => says))
    expect(line).toEqual({ kind: 'refusing' })
    expect(adviceOn(line)).toMatchObject({ works: false })
  })

  test('throws when nothing responds', async () => {
    await expect(inspectLine({ ...owner, host: '127.0.0.1', port: 1 })).rejects.toThrow()
  })
})
