import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlus, IconShieldCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../../api/hooks.ts'
import { ApiReference } from '../../parts/ApiReference.tsx'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { useNew } from '../../parts/new.ts'
import { When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useMode } from '../../shell/where.ts'
import { t } from '../../texts/en.ts'
import { KeyActions } from './KeyActions.tsx'
import { KeyForm } from './KeyForm.tsx'
import { KeyOnce } from './KeyOnce.tsx'
import type { KeyRecord, MadeKey } from './types.ts'

/** The keys with which the merchant's own server asks, in the mode that is in view. */
export function Keys() {
  const [isCreating, creating] = useNew()
  const [made, setMade] = useState<MadeKey>()
  const may = useMay()
  const mode = useMode()
  const { data: me } = useMe()
  const create = may('keys:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      Create a key
    </Button>
  )
  return (
    <>
      {mode === 'live' && may('keys:write') && !me?.person.secondFactor && <FactorNeeded />}
      <ListPage<KeyRecord>
        title="API keys"
        actions={
          <>
            <ApiReference />
            {create}
          </>
        }
        path="/console/keys"
        cut="whole"
        columns={[
          { label: 'Key', cell: (key) => <Name of={key} /> },
          STATUS,
          { label: 'Access', cell: (key) => <Rights of={key} />, onPhone: 'below' },
          { label: 'Last used', cell: (key) => <LastUsed of={key} />, onPhone: 'below' },
          {
            label: 'Expires',
            cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : 'Never'),
          },
          {
            label: t.action.actions,
            cell: (key) => may('keys:write') && <KeyActions of={key} onMade={setMade} />,
            align: 'right',
            onPhone: true,
          },
        ]}
        keyOf={({ reference }) => reference}
        empty={{
          title: 'No keys in this mode yet',
          text: 'Your server sends a secret key with each call to prove who it is. Keep it out of browsers and apps.',
          action: create,
        }}
      />
      <KeyForm opened={isCreating} onClose={creating.close} onMade={setMade} />
      <KeyOnce made={made} onClose={() => setMade(undefined)} />
    </>
  )
}

function FactorNeeded() {
  const href = useHref()
  return (
    <Alert color="yellow" icon={<IconShieldCheck size={18} />} mb="md">
      Only people with a second factor can make or rotate a live secret key, because a password
      alone can be guessed or stolen. Set one up in{' '}
      <Anchor component={Link} to={href('security')} underline="always" inherit c="inherit">
        your security
      </Anchor>
      .
    </Alert>
  )
}

function Name({ of: { label, hint, type, browserSeenAt } }: { of: KeyRecord }) {
  return (
    <Stack gap={0}>
      <span>{label ?? (type === 'public' ? 'Public key' : 'Secret key')}</span>
      <Text span size="xs" c="dimmed" ff="monospace">
        {hint}
      </Text>
      {browserSeenAt && (
        <Alert color="red" variant="light" p={6} mt={4} icon={<IconAlertTriangle size={16} />}>
          A browser sent this key, so it is no longer secret. Rotate it.
        </Alert>
      )}
    </Stack>
  )
}

const SHOWN = 3

function Rights({ of: { scopes, type, allowedIps } }: { of: KeyRecord }) {
  const rights =
    type === 'public'
      ? 'Nothing by itself'
      : scopes === null
        ? 'Everything'
        : scopes.slice(0, SHOWN).join(', ') +
          (scopes.length > SHOWN ? ` and ${scopes.length - SHOWN} more` : '')
  return (
    <Stack gap={0}>
      <Text span size="sm">
        {rights}
      </Text>
      {allowedIps.length > 0 && (
        <Text span size="xs" c="dimmed" className="breaks">
          from {allowedIps.slice(0, SHOWN).join(', ')}
          {allowedIps.length > SHOWN && ' …'}
        </Text>
      )}
    </Stack>
  )
}

function LastUsed({ of: { lastUsedAt, createdAt } }: { of: KeyRecord }) {
  return (
    <Group gap={4}>
      {lastUsedAt ? (
        <When at={lastUsedAt} />
      ) : (
        <Text span size="sm" c="dimmed">
          Never used, made <When at={createdAt} />
        </Text>
      )}
    </Group>
  )
}
