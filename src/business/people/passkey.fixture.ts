import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { TestBrowser } from './people.fixture.ts'

const ORIGIN = 'http://127.0.0.1'
const RP_ID_HASH = createHash('sha256').update('localhost').digest()
const PRESENT_AND_VERIFIED = 0x05
const WITH_KEY = 0x40

/** An authenticator as the server sees it: a P-256 key without attestation. */
export function authenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  return { id: id.toString('base64url'), publicKey, privateKey, raw: id }
}
type Authenticator = ReturnType<typeof authenticator>

/** The browser's response to `begin`, to send to `/console/passkeys/finish`. */
export function registration({ raw, publicKey }: Authenticator, challenge: string) {
  const authData = Buffer.concat([
    RP_ID_HASH,
    Buffer.from([PRESENT_AND_VERIFIED | WITH_KEY, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, raw.length]),
    raw,
    coseKey(publicKey),
  ])
  // A CBOR map of three: fmt "none", attStmt {}, authData.
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3]),
    cborText('fmt'),
    cborText('none'),
    cborText('attStmt'),
    Buffer.from([0xa0]),
    cborText('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ])
  return credential(raw, {
    clientDataJSON: clientData('webauthn.create', challenge),
    attestationObject: attestationObject.toString('base64url'),
    transports: ['internal'],
  })
}

/** The signature for a sign-in, to send to `/console/sign-in/passkey/finish`. */
export function assertion({ raw, privateKey }: Authenticator, challenge: string) {
  const authData = Buffer.concat([RP_ID_HASH, Buffer.from([PRESENT_AND_VERIFIED, 0, 0, 0, 0])])
  const clientDataJSON = clientData('webauthn.get', challenge)
  const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
  const signature = sign('sha256', Buffer.concat([authData, hash]), privateKey)
  return credential(raw, {
    clientDataJSON,
    authenticatorData: authData.toString('base64url'),
    signature: signature.toString('base64url'),
  })
}

export async function addPasskey({ post }: Pick<TestBrowser, 'post'>, made = authenticator()) {
  const { challenge } = (await post('/console/passkeys/begin')).body.data
  const body = { name: 'Phone', response: registration(made, challenge) }
  const answer = await post('/console/passkeys/finish', body, { origin: ORIGIN })
  return { made, answer }
}

export async function enterWith({ post }: Pick<TestBrowser, 'post'>, made: Authenticator) {
  const { challenge } = (await post('/console/sign-in/passkey/begin')).body.data
  const body = { response: assertion(made, challenge) }
  return post('/console/sign-in/passkey/finish', body, { origin: ORIGIN })
}

const credential = (raw: Buffer, response: object) => ({
  id: raw.toString('base64url'),
  rawId: raw.toString('base64url'),
  type: 'public-key',
  clientExtensionResults: {},
  response,
})

const clientData = (type: string, challenge: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN })).toString('base64url')

const cborText = (text: string) => Buffer.from([0x60 + text.length, ...Buffer.from(text)])

/** A CBOR map of five: kty EC2, alg ES256, crv P-256, x, y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ])
}
