import { Divider } from '@mantine/core'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError, call } from '../api/call.ts'
import type { Envelope } from '../api/hooks.ts'
import { at, type OperationName } from '../api/request.ts'
import { ActionButton } from './buttons.tsx'

/** Browsers support passkeys only on secure pages with a domain name. */
const isPossible = () =>
  'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname)

/** Used both for signing in and for confirming the user's identity. */
export function PasskeySignIn({
  begin = 'begin_passkey_sign_in',
  finish = 'finish_passkey_sign_in',
  onDone,
  onProblem,
}: {
  begin?: OperationName
  finish?: OperationName
  onDone(): void
  onProblem(problem: ApiError): void
}) {
  const [isAsking, setAsking] = useState(false)
  if (!isPossible()) return null
  const signIn = async () => {
    setAsking(true)
    try {
      const { data: optionsJSON } = await call<Envelope<PublicKeyCredentialRequestOptionsJSON>>(
        at(begin).path,
        { method: 'POST', body: {} },
      )
      const { startAuthentication } = await import('@simplewebauthn/browser')
      const response = await startAuthentication({ optionsJSON })
      await call(at(finish).path, { method: 'POST', body: { response } })
      onDone()
    } catch (error) {
      const isSaid = error instanceof ApiError
      const problem = isSaid
        ? error
        : new ApiError('No passkey was used.', { status: 0, code: 'passkey' })
      onProblem(problem)
    } finally {
      setAsking(false)
    }
  }
  return (
    <>
      <Divider label="or" />
      <ActionButton
        label="Use a passkey"
        leftSection={<IconFingerprint size={18} stroke={1.7} />}
        loading={isAsking}
        onClick={() => void signIn()}
      />
    </>
  )
}
