import { Alert, List, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react'
import { act, useAction } from '../../../api/hooks.ts'
import type { Provider } from '../../../api/operations.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Fact, Facts } from '../../../ui/DetailPage.tsx'
import { sentence, When } from '../../../ui/values.tsx'

const LOCAL = /^https?:\/\/(?:localhost|127\.|\[::1\])/

/** The URL to which the provider sends notifications, and whether any have arrived. */
export function NotificationUrl({ of }: { of: Provider }) {
  const isLocal = LOCAL.test(of.noticeUrl) && !LOCAL.test(of.baseUrl)
  return (
    <Stack gap="sm">
      <Facts>
        <Fact label="Webhook URL" copy={of.noticeUrl} />
        <Fact
          label="Last notification"
          value={of.lastNoticeAt ? <When at={of.lastNoticeAt} /> : 'None yet'}
        />
      </Facts>
      {isLocal && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
          {of.title} cannot reach this URL from the internet. The operator of this server has to set
          its public URL.
        </Alert>
      )}
    </Stack>
  )
}

/** What has to be set at the provider, with what is known to be done. */
export function ProviderChecks({ of }: { of: Provider }) {
  return (
    <List spacing="sm" center={false} className="provider-checks">
      {of.checks.map(({ name, isDone, instruction }) => (
        <List.Item key={name} icon={<Sign isDone={isDone} />}>
          <Text span size="sm">
            {instruction}
          </Text>
        </List.Item>
      ))}
    </List>
  )
}

function Sign({ isDone }: { isDone: boolean | null }) {
  const [label, color, Icon] =
    isDone === null
      ? (['Check this yourself', 'gray', IconCircleDashed] as const)
      : isDone
        ? (['Done', 'green', IconCheck] as const)
        : (['Not done', 'red', IconX] as const)
  return (
    <ThemeIcon variant="light" color={color} size={24} radius="xl" role="img" aria-label={label}>
      <Icon size={15} />
    </ThemeIcon>
  )
}

/** The result of the last connection test, and a button for another one. */
export function ConnectionTest({ of, mayWrite }: { of: Provider; mayWrite: boolean }) {
  const test = useAction(act('test_provider', { input: () => ({ connectionId: of.id }) }))
  const isFailed = of.problem !== null
  return (
    <Stack gap="sm" align="flex-start">
      {of.problem ? (
        <Alert color="red" title="The connection test failed" w="100%">
          {sentence(of.problem.message)} {NEXT[of.problem.code]}
        </Alert>
      ) : (
        <Text size="sm">
          {of.checkedAt ? (
            <>
              {of.title} accepted the key. Last tested <When at={of.checkedAt} />.
            </>
          ) : (
            'Not tested yet.'
          )}
        </Text>
      )}
      {mayWrite && of.status !== 'Removed' && (
        <ActionButton
          label={isFailed ? 'Test again' : 'Test connection'}
          loading={test.isPending}
          onClick={() => test.mutate()}
        />
      )}
    </Stack>
  )
}

/** What to do about a failed test. */
const NEXT: Record<string, string> = {
  credentials_refused: 'Copy the key again at the provider, and replace it here.',
  address_not_allowed:
    'Add the public IP address of this server to the allowed addresses at the provider.',
  feature_off: 'Ask the provider to turn this on for your account.',
  not_reached: 'Try again in a few minutes.',
  provider_down: 'Try again in a few minutes.',
  timed_out: 'Try again in a few minutes.',
}
