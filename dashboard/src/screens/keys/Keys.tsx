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
import { t as own } from '../../texts/keys.ts'
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
      {own.createAKey}
    </Button>
  )
  return (
    <>
      {mode === 'live' && may('keys:write') && !me?.person.secondFactor && <FactorNeeded />}
      <ListPage<KeyRecord>
        title={own.apiKeys}
        actions={
          <>
            <ApiReference />
            {create}
          </>
        }
        path="/console/keys"
        cut="whole"
        columns={[
          { label: own.key, cell: (key) => <Name of={key} /> },
          STATUS,
          { label: own.access, cell: (key) => <Rights of={key} />, onPhone: 'below' },
          { label: own.lastUsed, cell: (key) => <LastUsed of={key} />, onPhone: 'below' },
          {
            label: own.expires,
            cell: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : own.never),
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
          title: own.noKeysInThisMode,
          text: own.yourServerSendsASecret,
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
      {own.onlyPeopleWithASecond}{' '}
      <Anchor component={Link} to={href('security')} underline="always" inherit c="inherit">
        {own.yourSecurity}
      </Anchor>
      .
    </Alert>
  )
}

function Name({ of: { label, hint, type, browserSeenAt } }: { of: KeyRecord }) {
  return (
    <Stack gap={0}>
      <span>{label ?? (type === 'public' ? own.publicKey : own.secretKey)}</span>
      <Text span size="xs" c="dimmed" ff="monospace">
        {hint}
      </Text>
      {browserSeenAt && (
        <Alert color="red" variant="light" p={6} mt={4} icon={<IconAlertTriangle size={16} />}>
          {own.aBrowserSentThisKey}
        </Alert>
      )}
    </Stack>
  )
}

const SHOWN = 3

function Rights({ of: { scopes, type, allowedIps } }: { of: KeyRecord }) {
  const rights =
    type === 'public'
      ? own.nothingByItself
      : scopes === null
        ? own.everything
        : scopes.slice(0, SHOWN).join(', ') +
          (scopes.length > SHOWN ? own.andMore(scopes.length - SHOWN) : '')
  return (
    <Stack gap={0}>
      <Text span size="sm">
        {rights}
      </Text>
      {allowedIps.length > 0 && (
        <Text span size="xs" c="dimmed" className="breaks">
          {own.fromAddresses(allowedIps.slice(0, SHOWN).join(', '))}
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
          {own.neverUsedMade} <When at={createdAt} />
        </Text>
      )}
    </Group>
  )
}
