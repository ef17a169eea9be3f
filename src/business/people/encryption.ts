import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts a string with the server's key, so that a copy of its row reveals nothing: AES-256-GCM,
 * stored as nonce, tag and ciphertext. `about` names the owner, and `decrypt` requires the same
 * value.
 */
export async function encrypt(db: Db, about: string, text: string): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, await serverSecret(db, 'people'), nonce)
  cipher.setAAD(Buffer.from(about))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Decrypts what `encrypt` returned. Throws for anything else. */
export async function decrypt(db: Db, about: string, encrypted: Buffer): Promise<string> {
  const key = await serverSecret(db, 'people')
  const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
