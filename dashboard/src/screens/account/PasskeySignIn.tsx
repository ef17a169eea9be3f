import { Button, Divider } from '@mantine/core'
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import type { Envelope } from '../../api/hooks.ts'
import { t } from '../../texts/account.ts'

/** Browsers know passkeys of names alone, and of secure pages. */
const isPossible = () =>
  'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname)

/** Signs with a passkey what the server asks at an address: to sign in, or to prove it is still you. */
export function PasskeySignIn({
  at = '/console/sign-in/passkey',
  to = `${at}/finish`,
  onDone,
  onProblem,
}: {
  at?: string
  /** What takes the signature, where that is another operation. */
  to?: string
  onDone(): void
  onProblem(problem: ApiError): void
}) {
  const [isAsking, setAsking] = useState(false)
  if (!isPossible()) return null
  const signIn = async () => {
    setAsking(true)
    try {
      const { data: optionsJSON } = await call<Envelope<PublicKeyCredentialRequestOptionsJSON>>(
        `${at}/begin`,
        { method: 'POST', body: {} },
      )
      const { startAuthentication } = await import('@simplewebauthn/browser')
      const response = await startAuthentication({ optionsJSON })
      await call(to, { method: 'POST', body: { response } })
      onDone()
    } catch (error) {
      const isSaid = error instanceof ApiError
      const problem = isSaid
        ? error
        : new ApiError(t.passkey.failed, { status: 0, code: 'passkey' })
      onProblem(problem)
    } finally {
      setAsking(false)
    }
  }
  return (
    <>
      <Divider label={t.passkey.or} />
      <Button
        variant="default"
        leftSection={<IconFingerprint size={18} stroke={1.7} />}
        loading={isAsking}
        onClick={() => void signIn()}
      >
        {t.passkey.go}
      </Button>
    </>
  )
}
