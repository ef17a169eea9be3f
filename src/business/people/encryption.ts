import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { serverSecret } from '../../db/ids.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals a text so that a copy of its row tells nothing: AES-256-GCM under the server's key, as
 * nonce, tag and text. `about` names whose it is; it opens under the same name alone.
 */
export async function seal(db: Db, about: string, text: string): Promise<Buffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, await serverSecret(db, 'people'), nonce)
  cipher.setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Opens what `seal` made; throws when it is not that. */
export async function unseal(db: Db, about: string, sealed: Buffer): Promise<string> {
  const key = await serverSecret(db, 'people')
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString('utf8')
}
