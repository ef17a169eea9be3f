import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/* Encrypts a backup as a stream of boxes, each of which is encrypted with AES-256-GCM. The number
 * of the box is its nonce, and its first byte says whether it is the last one, so that boxes can be
 * neither changed, moved, removed nor cut off. Each backup has its own key, derived from the
 * passphrase and a random salt. */

/** How a backup's key is derived; stored with the backup. */
export interface Sealing {
  cipher: 'aes-256-gcm'
  kdf: 'scrypt'
  cost: number
  salt: string
}

const CIPHER = 'aes-256-gcm'
const BOX_BYTES = 64 * 1024
const HEAD_BYTES = 5
const TAG_BYTES = 16
const COST = 2 ** 15
const PASSPHRASE_MIN = 16

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Reads a passphrase, or a random key as text. Throws if it is too short to protect anything. */
export async function readPassphrase(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).trim()
  if (text.length >= PASSPHRASE_MIN) return text
  throw new Error(`${path} must contain at least ${PASSPHRASE_MIN} characters`)
}

export const newSealing = (): Sealing => ({
  cipher: CIPHER,
  kdf: 'scrypt',
  cost: COST,
  salt: randomBytes(16).toString('base64'),
})

export function keyOf(passphrase: string, { cost, salt, ...said }: Sealing): Promise<Buffer> {
  if (said.cipher !== CIPHER || said.kdf !== 'scrypt' || cost > 2 ** 20) {
    throw new Error('the backup is encrypted in a form that this version does not know')
  }
  const options = { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 }
  return derive(passphrase.normalize('NFC'), Buffer.from(salt, 'base64'), 32, options)
}

function nonceOf(count: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(count), 4)
  return nonce
}

/** A box is a byte that is 1 in the last one, the length, the content and the tag. */
export async function* seal(
  source: AsyncIterable<Buffer>,
  key: Buffer,
): AsyncGenerator<Buffer, void> {
  let count = 0
  const box = (content: Buffer, isLast: boolean): Buffer => {
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt8(isLast ? 1 : 0)
    head.writeUInt32BE(content.length, 1)
    const cipher = createCipheriv(CIPHER, key, nonceOf(count++))
    cipher.setAAD(head)
    return Buffer.concat([head, cipher.update(content), cipher.final(), cipher.getAuthTag()])
  }
  for await (const content of inPieces(source)) yield box(content, false)
  yield box(Buffer.alloc(0), true)
}

async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += BOX_BYTES) yield chunk.subarray(at, at + BOX_BYTES)
  }
}

/** Throws if the passphrase is wrong, or if anything was changed. */
export async function* unseal(
  source: AsyncIterable<Buffer>,
  key: Buffer,
): AsyncGenerator<Buffer, void> {
  let left: Buffer = Buffer.alloc(0)
  let count = 0
  let isEnded = false
  for await (const chunk of source) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk])
    for (;;) {
      if (left.length < HEAD_BYTES) break
      const length = left.readUInt32BE(1)
      const end = HEAD_BYTES + length + TAG_BYTES
      if (isEnded || length > BOX_BYTES) throw damaged(count)
      if (left.length < end) break
      const content = open(key, count, left.subarray(0, end))
      isEnded = left[0] === 1
      count++
      left = left.subarray(end)
      if (content.length > 0) yield content
    }
  }
  if (!isEnded || left.length > 0) throw damaged(count)
}

function open(key: Buffer, count: number, box: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonceOf(count), { authTagLength: TAG_BYTES })
  decipher.setAAD(box.subarray(0, HEAD_BYTES))
  decipher.setAuthTag(box.subarray(-TAG_BYTES))
  try {
    const content = decipher.update(box.subarray(HEAD_BYTES, -TAG_BYTES))
    return Buffer.concat([content, decipher.final()])
  } catch {
    throw damaged(count)
  }
}

const damaged = (count: number) =>
  new Error(
    count === 0
      ? 'the backup cannot be decrypted: the passphrase is another one, or the backup was changed'
      : 'the backup was changed or is incomplete',
  )
