import { Alert, PasswordInput, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconKey, IconShieldCheck } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useMode } from '../../../api/history.ts'
import { act, useMe, useOperation } from '../../../api/hooks.ts'
import type { ConnectProviderResponse, KnownProvider } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { useSubmit } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Status } from '../../../ui/values.tsx'
import { byService, keyPlace, keyStart, serviceName } from './names.ts'
import './providers.css'
import { ConnectionTest, NotificationUrl, ProviderChecks } from './Setup.tsx'

/** Connects an account with a provider, step by step. */
export function ConnectProvider() {
  const read = useOperation('list_known_providers')
  const mode = useMode()
  const [connected, setConnected] = useState<ConnectProviderResponse>()
  return (
    <DetailPage
      back={{ to: 'settings/providers', label: 'Providers' }}
      title={mode === 'live' ? 'Connect a provider' : 'Connect a provider’s test account'}
      read={read}
    >
      {read.data && (
        <Stack gap="lg" maw={768}>
          {connected ? (
            <Connected of={connected} />
          ) : (
            <KeysForm known={read.data.data} onDone={setConnected} />
          )}
        </Stack>
      )}
    </DetailPage>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Card>
      <Title order={2} mb="sm">
        <Text span c="dimmed" inherit>
          {number}.
        </Text>{' '}
        {title}
      </Title>
      {children}
    </Card>
  )
}

interface Values extends Record<string, unknown> {
  provider: string
  name: string
  credentials: Record<string, string>
  baseUrl: string
}

function KeysForm({
  known,
  onDone,
}: {
  known: KnownProvider[]
  onDone(answer: ConnectProviderResponse): void
}) {
  const mode = useMode()
  const { data: me } = useMe()
  const credentials = Object.fromEntries(
    known.flatMap((one) => one.credentials.map(({ name }) => [name, ''])),
  )
  const form = useForm<Values>({
    initialValues: { provider: known[0]?.provider ?? '', name: '', credentials, baseUrl: '' },
  })
  const chosen = known.find(({ provider }) => provider === form.values.provider)
  const { submit, says, isPending } = useSubmit(
    form,
    act('connect_provider', {
      input: ({ provider, name, credentials: typed, baseUrl }: Values) => ({
        provider: provider as 'paystack' | 'flutterwave',
        credentials: Object.fromEntries(
          (chosen?.credentials ?? [])
            .map(({ name: key }) => [key, typed[key]?.trim() ?? ''])
            .filter(([, value]) => value !== ''),
        ),
        ...(name.trim() && { name: name.trim() }),
        ...(baseUrl.trim() && { baseUrl: baseUrl.trim() }),
      }),
    }),
    ({ data }) => onDone(data),
  )
  return (
    <form onSubmit={submit} noValidate autoComplete="off">
      <Stack gap="lg">
        {mode === 'live' && !me?.person.secondFactor && <FactorNeeded />}
        {says}
        <Step number={1} title="Choose the provider">
          <Radio.Group aria-label="Provider" {...form.field('provider')}>
            <Stack gap="sm">
              {known.map((one) => (
                <Radio
                  key={one.provider}
                  value={one.provider}
                  label={one.title}
                  description={uses(one)}
                />
              ))}
            </Stack>
          </Radio.Group>
        </Step>
        {chosen && (
          <Step number={2} title={`Enter the keys from ${chosen.title}`}>
            <Stack>
              {chosen.credentials.map(({ name, label, isRequired, isOurChoice }) => (
                <PasswordInput
                  key={`${chosen.provider} ${name}`}
                  label={isRequired && !isOurChoice ? label : `${label} (optional)`}
                  description={keyPlace(chosen.provider, name)}
                  placeholder={keyStart(chosen.provider, name, mode)}
                  autoComplete="off"
                  withAsterisk={isRequired && !isOurChoice}
                  {...form.field(`credentials.${name}`)}
                />
              ))}
              <TextInput
                label="Name (optional)"
                description="Tells two accounts with the same provider apart."
                placeholder={chosen.title}
                maxLength={100}
                {...form.field('name')}
              />
              <details>
                <summary>Advanced</summary>
                <TextInput
                  mt="sm"
                  label="Base URL"
                  description="Leave this blank, unless you connect to a copy of the provider for tests."
                  placeholder="https://"
                  {...form.field('baseUrl')}
                />
              </details>
              <Alert color="blue" icon={<IconKey size={18} />}>
                We encrypt the keys, and never show them again. We test them now, by asking{' '}
                {chosen.title} for your balance.
              </Alert>
              <div>
                <ActionButton
                  label={`Connect ${chosen.title}`}
                  isMain
                  type="submit"
                  loading={isPending}
                />
              </div>
            </Stack>
          </Step>
        )}
      </Stack>
    </form>
  )
}

const uses = ({ services }: KnownProvider): string =>
  [...services].sort(byService).map(serviceName).join(', ')

function FactorNeeded() {
  return (
    <Alert color="yellow" icon={<IconShieldCheck size={18} />}>
      To connect a provider in live mode, first turn on two-factor authentication in{' '}
      <ScreenLink to="security" underline="always" c="inherit">
        your security settings
      </ScreenLink>
      .
    </Alert>
  )
}

/** What remains to be done at the provider. */
function Connected({ of: { connection: first, made } }: { of: ConnectProviderResponse }) {
  const may = usePermission()
  const { data } = useOperation('get_provider', { connectionId: first.id })
  const connection = data?.data ?? first
  const { credentials } = useKnown(connection.provider)
  const shown = Object.entries(made).map(([name, value]) => ({
    label: credentials.find((one) => one.name === name)?.label ?? name,
    value: String(value),
  }))
  const isUsed = connection.status === 'Active'
  const others = connection.checks.filter(({ name }) => name !== 'notice_url')
  const paste = connection.checks.find(({ name }) => name === 'notice_url')
  return (
    <>
      <Step number={3} title="Connection test">
        <Stack gap="sm">
          <div>
            <Status of={connection.status} />
          </div>
          <ConnectionTest of={connection} mayWrite={may('providers:write')} />
          {!isUsed && (
            <Text size="sm">
              The connection is saved as a draft. When the test succeeds, choose “Start using it” on
              its screen.
            </Text>
          )}
        </Stack>
      </Step>
      <Step number={4} title={`Tell ${connection.title} where to send notifications`}>
        <Stack gap="sm">
          <Text size="sm">
            {paste?.instruction ??
              `Paste this URL into the webhook settings in ${connection.title}’s dashboard.`}
          </Text>
          <NotificationUrl of={connection} />
          {shown.length > 0 && (
            <>
              <Facts>
                {shown.map(({ label, value }) => (
                  <Fact key={label} label={label} copy={value} />
                ))}
              </Facts>
              <Alert color="yellow">
                Copy the secret hash now. It won’t be shown again, but you can replace it.
              </Alert>
            </>
          )}
        </Stack>
      </Step>
      {others.length > 0 && (
        <Step number={5} title={`Check these settings at ${connection.title}`}>
          <ProviderChecks of={{ ...connection, checks: others }} />
        </Step>
      )}
      <div>
        <ActionButton label="Done" isMain to={`settings/providers/${connection.id}`} />
      </div>
    </>
  )
}

/** What is known about a provider that can be connected. */
function useKnown(provider: string): Pick<KnownProvider, 'credentials'> {
  const { data } = useOperation('list_known_providers')
  return data?.data.find((one) => one.provider === provider) ?? { credentials: [] }
}
