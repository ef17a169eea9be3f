import { openKeyring } from '../src/encryption/keyring.ts'
import { keysInText } from '../src/encryption/server-keys.ts'

/** The server's key for all test databases. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 'test').toString('base64')

export const testKeyring = () => openKeyring(keysInText('TRADEPOST_ENCRYPTION_KEY', ENCRYPTION_KEY))
