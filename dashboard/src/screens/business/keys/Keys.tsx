import {
  ActionIcon,
  Alert,
  Group,
  Menu,
  MultiSelect,
  NumberInput,
  Radio,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconBan,
  IconDots,
  IconPlus,
  IconRotate,
  IconShieldCheck,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useMode } from '../../../api/history.ts'
import { act, type Envelope, useAction, useMe } from '../../../api/hooks.ts'
import type { CreateKeyResponse, Key } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ApiReference } from '../../../ui/ApiReference.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { OneTimeSecret } from '../../../ui/OneTimeSecret.tsx'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { When } from '../../../ui/values.tsx'
import { ALL_SCOPES, choicesFor } from './scopes.ts'

export function Keys() {
  const [isCreating, creating] = useNewParam()
  const [made, setMade] = useState<CreateKeyResponse>()
  const may = usePermission()
  const mode = useMode()
  const { data: me } = useMe()
  const create = may('keys:write') && (
    <ActionButton icon={IconPlus} label="Create a key" isMain onClick={creating.open} />
  )
  return (
    <>
      {mode === 'live' && may('keys:write') && !me?.person.secondFactor && <FactorNeeded />}
      <ListPage
        title="API keys"
        actions={
          <>
            <ApiReference />
            {create}
          </>
        }
        operation="list_keys"
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
            label: 'Actions',
            cell: (key) => may('keys:write') && <KeyActions of={key} onMade={setMade} />,
            align: 'right',
            onPhone: true,
          },
        ]}
        keyOf={({ reference }) => reference}
        empty={{
          title: 'No keys in this mode yet',
          text: 'Your server sends a secret key with each request to prove its identity. Keep the key out of browsers and apps.',
          action: create,
        }}
      />
      <KeyForm opened={isCreating} onClose={creating.close} onMade={setMade} />
      <KeyOnce made={made} onClose={() => setMade(undefined)} />
    </>
  )
}

function FactorNeeded() {
  return (
    <Alert color="yellow" icon={<IconShieldCheck size={18} />} mb="md">
      To create or rotate a live secret key, first turn on two-factor authentication in{' '}
      <ScreenLink to="security" underline="always" c="inherit">
        your security settings
      </ScreenLink>
      .
    </Alert>
  )
}

function Name({ of: { label, hint, type, browserSeenAt } }: { of: Key }) {
  return (
    <Stack gap={0}>
      <span>{label ?? (type === 'public' ? 'Public key' : 'Secret key')}</span>
      <Text span size="xs" c="dimmed" ff="monospace">
        {hint}
      </Text>
      {browserSeenAt && (
        <Alert color="red" variant="light" p={6} mt={4} icon={<IconAlertTriangle size={16} />}>
          This key was sent from a browser, so it is no longer secret. Rotate it.
        </Alert>
      )}
    </Stack>
  )
}

const SHOWN = 3

function Rights({ of: { scopes, type, allowedIps } }: { of: Key }) {
  const rights =
    type === 'public'
      ? 'Identifies your business; gives no access'
      : scopes === null
        ? 'Full access'
        : scopes.slice(0, SHOWN).join(', ') +
          (scopes.length > SHOWN ? ` and ${scopes.length - SHOWN} more` : '')
  return (
    <Stack gap={0}>
      <Text span size="sm">
        {rights}
      </Text>
      {allowedIps.length > 0 && (
        <Text span size="xs" c="dimmed" className="breaks">
          {`from ${allowedIps.slice(0, SHOWN).join(', ')}`}
          {allowedIps.length > SHOWN && ' …'}
        </Text>
      )}
    </Stack>
  )
}

function LastUsed({ of: { lastUsedAt, createdAt } }: { of: Key }) {
  return (
    <Group gap={4}>
      {lastUsedAt ? (
        <When at={lastUsedAt} />
      ) : (
        <Text span size="sm" c="dimmed">
          Never used · created <When at={createdAt} />
        </Text>
      )}
    </Group>
  )
}

interface Grace extends Record<string, unknown> {
  graceHours: number
}

function KeyActions({ of, onMade }: { of: Key; onMade(key: CreateKeyResponse): void }) {
  const { reference, hint, label, status } = of
  const [isRotating, rotating] = useDisclosure(false)
  const revoke = useAction(
    act('revoke_key', {
      input: () => ({ reference }),
      done: 'Key revoked.',
      refresh: ['list_keys'],
    }),
  )
  if (status !== 'Active' && status !== 'Replaced') return null
  const name = label ? `${label} (${hint})` : hint
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More actions for ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {status === 'Active' && (
            <Menu.Item leftSection={<IconRotate size={16} />} onClick={rotating.open}>
              Rotate
            </Menu.Item>
          )}
          <Menu.Item
            color="red"
            leftSection={<IconBan size={16} />}
            onClick={() =>
              confirm({
                title: `Revoke ${name}?`,
                text: 'This key will stop working immediately.',
                verb: 'Revoke key',
                isDangerous: true,
                go: () => revoke.mutate(),
              })
            }
          >
            Revoke
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FormModal<Grace, Envelope<CreateKeyResponse>>
        title={`Rotate ${name}`}
        opened={isRotating}
        onClose={rotating.close}
        initial={{ graceHours: 24 }}
        action={act('rotate_key', {
          input: ({ graceHours }: Grace) => ({ reference, graceHours }),
          refresh: ['list_keys'],
        })}
        verb="Rotate key"
        onDone={({ data }) => onMade(data)}
      >
        {(form) => (
          <>
            <Text size="sm">
              You will get a new key with the same access. The old key keeps working for a while, so
              your server can switch without interruption.
            </Text>
            <NumberInput
              label="Hours until the old key stops working"
              min={0}
              max={168}
              data-autofocus
              {...form.field('graceHours')}
            />
          </>
        )}
      </FormModal>
    </>
  )
}

interface Values extends Record<string, unknown> {
  label: string
  type: 'secret' | 'public'
  allows: 'all' | 'some'
  scopes: string[]
  allowedIps: string[]
  expiresAt: string
}

/** A key can't have more permissions than the person who creates it. */
function KeyForm({ onMade, ...dialog }: DialogProps & { onMade(key: CreateKeyResponse): void }) {
  const may = usePermission()
  const mode = useMode()
  const mayAll = ALL_SCOPES.every((scope) => may(scope))
  return (
    <FormModal<Values, Envelope<CreateKeyResponse>>
      title={mode === 'live' ? 'Create a live key' : 'Create a test key'}
      {...dialog}
      size="lg"
      initial={{
        label: '',
        type: 'secret',
        allows: mayAll ? 'all' : 'some',
        scopes: [],
        allowedIps: [],
        expiresAt: '',
      }}
      action={act('create_key', {
        input: ({ label, type, allows, scopes, allowedIps, expiresAt }: Values) => ({
          type,
          label: label.trim() || null,
          scopes: type === 'public' || allows === 'all' ? null : scopes,
          allowedIps,
          expiresAt: expiresAt || null,
        }),
        refresh: ['list_keys'],
      })}
      validate={{
        scopes: (scopes, { type, allows }) =>
          type === 'public' || allows === 'all' || scopes.length > 0
            ? null
            : 'Choose at least one scope.',
      }}
      verb="Create key"
      onDone={({ data }) => onMade(data)}
    >
      {(form) => (
        <Stack>
          <TextInput
            label="Name"
            placeholder="Shop backend"
            maxLength={100}
            data-autofocus
            {...form.field('label')}
          />
          <Radio.Group label="Kind" {...form.field('type')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="secret"
                label="Secret"
                description="Your server uses this key to act on behalf of the business."
              />
              <Radio
                value="public"
                label="Public"
                description="Identifies your business and is safe to publish. It gives no access to your account."
              />
            </Stack>
          </Radio.Group>
          {form.values.type === 'secret' && (
            <Radio.Group label="Access" {...form.field('allows')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="all"
                  label="Full access"
                  disabled={!mayAll}
                  description={mayAll ? undefined : 'Your own role does not have full access.'}
                />
                <Radio value="some" label="Selected scopes" />
              </Stack>
            </Radio.Group>
          )}
          {form.values.type === 'secret' && form.values.allows === 'some' && (
            <MultiSelect
              label="Scopes"
              data={choicesFor(may)}
              searchable
              hidePickedOptions
              maxDropdownHeight={260}
              {...form.field('scopes')}
            />
          )}
          <TagsInput
            label="Allowed IP addresses"
            description="Addresses or ranges, such as 203.0.113.7 or 198.51.100.0/24. Leave blank to allow any address."
            maxTags={50}
            splitChars={[',', ' ']}
            {...form.field('allowedIps')}
          />
          <DayInput
            label="Expires"
            description="Leave blank for a key that never expires."
            {...form.field('expiresAt')}
          />
          {mode === 'live' && form.values.type === 'secret' && (
            <Alert color="yellow">A live key can move real money.</Alert>
          )}
        </Stack>
      )}
    </FormModal>
  )
}

function KeyOnce({ made, onClose }: { made: CreateKeyResponse | undefined; onClose(): void }) {
  return (
    <OneTimeSecret title="Your new key" secret={made?.key} onClose={onClose}>
      {made?.type === 'secret'
        ? 'Keep this key on your server, never in a browser, an app or a repository.'
        : 'This key is safe to publish.'}
    </OneTimeSecret>
  )
}
