import { Alert, Group, MultiSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import type { Partner } from '../../../../../sdk/src/operations.ts'
import { act, useAction } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { modeOf } from '../../../api/session.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { Copyable, When } from '../../../ui/values.tsx'
import { choicesFor } from '../keys/scopes.ts'

/**
 * Lists partners: other companies' software, which acts on behalf of the business using its own
 * tokens.
 */
export function Partners() {
  const [isGranting, granting] = useDisclosure(false)
  const may = usePermission()
  const mayWrite = may('keys:write')
  const grant = mayWrite && (
    <ActionButton icon={IconPlus} label="Connect partner" isMain onClick={granting.open} />
  )
  return (
    <>
      <ListPage
        title="Partners"
        actions={grant}
        operation="list_partners"
        cut="whole"
        columns={[
          { label: 'Partner', cell: (partner) => <Named of={partner} /> },
          STATUS,
          { label: 'Permissions', cell: (partner) => mayOf(partner) },
          {
            label: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : 'Never'),
          },
          { label: 'Connected', cell: ({ updatedAt }) => <When at={updatedAt} /> },
          ...(mayWrite
            ? [
                {
                  label: 'Actions',
                  cell: (partner: Partner) => <Actions of={partner} />,
                  onPhone: true,
                  align: 'right' as const,
                },
              ]
            : []),
        ]}
        keyOf={({ reference }) => reference}
        empty={{
          title: 'No partners yet',
          text: 'A partner is another company’s software, such as a bookkeeping app, that acts for this business. Enter its client ID and choose what it can do.',
          action: grant,
        }}
      />
      <GrantForm opened={isGranting} onClose={granting.close} />
    </>
  )
}

function Named({ of: { name, clientId } }: { of: Partner }) {
  return (
    <Stack gap={2} align="flex-start">
      <Text span fw={600}>
        {name}
      </Text>
      <Copyable text={clientId} />
    </Stack>
  )
}

function mayOf({ status, scopes, effectiveScopes }: Partner): string {
  if (status === 'Revoked') return 'No permissions'
  if (scopes === null) return 'All available permissions'
  if (effectiveScopes.length <= 3) return effectiveScopes.join(', ') || 'No permissions'
  return `${effectiveScopes.slice(0, 2).join(', ')} and ${effectiveScopes.length - 2} more`
}

function Actions({ of: partner }: { of: Partner }) {
  const { clientId, name, status } = partner
  const [isEditing, editing] = useDisclosure(false)
  const revoke = useAction(
    act('revoke_partner', {
      input: () => ({ clientId }),
      done: `${name} no longer has access.`,
      refresh: ['list_partners'],
    }),
  )
  const ask = () =>
    confirm({
      title: `Revoke ${name}’s access?`,
      text: 'The partner’s tokens will stop working immediately. You can connect the partner again later.',
      verb: 'Revoke access',
      isDangerous: true,
      go: () => revoke.mutate(),
    })
  return (
    <Group gap="xs" justify="flex-end">
      <ActionButton
        label={status === 'Active' ? 'Edit' : 'Connect again'}
        size="xs"
        onClick={editing.open}
        aria-label={`Edit permissions for ${name}`}
      />
      {status === 'Active' && (
        <ActionButton
          label="Revoke"
          size="xs"
          c="var(--bad)"
          loading={revoke.isPending}
          onClick={ask}
          aria-label={`Revoke ${name}’s access`}
        />
      )}
      <GrantForm of={partner} opened={isEditing} onClose={editing.close} />
    </Group>
  )
}

/**
 * Scopes that partners can't have, because a partner could use them to keep its access or to watch
 * others.
 */
const NEVER = /^(?:keys|requests|webhooks):/

const SCOPES = choicesFor((scope) => !NEVER.test(scope))

interface Values extends Record<string, unknown> {
  clientId: string
  allows: 'all' | 'some'
  scopes: string[]
}

function GrantForm({ of: partner, ...dialog }: DialogProps & { of?: Partner }) {
  const mode = modeOf(location.pathname)
  return (
    <FormModal<Values>
      title={partner ? `Permissions for ${partner.name}` : 'Connect partner'}
      {...dialog}
      initial={{
        clientId: partner?.clientId ?? '',
        allows: partner && partner.scopes === null ? 'all' : 'some',
        scopes: partner?.scopes ?? [],
      }}
      action={act('grant_partner', {
        done: partner ? 'Permissions saved.' : 'Partner connected.',
        input: ({ clientId, allows, scopes }: Values) => ({
          clientId: clientId.trim(),
          scopes: allows === 'all' ? null : scopes,
        }),
        refresh: ['list_partners'],
      })}
      validate={{
        clientId: (clientId) =>
          clientId.trim().startsWith(`pc_${mode}_`) ? null : `Must start with pc_${mode}_.`,
        scopes: (scopes, { allows }) =>
          allows === 'all' || scopes.length > 0 ? null : 'Choose at least one scope.',
      }}
      verb={partner?.status === 'Active' ? 'Save permissions' : 'Grant access'}
    >
      {(form) => (
        <>
          {!partner && (
            <TextInput
              label="Client ID"
              description="The partner gives you this ID."
              placeholder={`pc_${mode}_…`}
              autoComplete="off"
              required
              data-autofocus
              {...form.field('clientId')}
            />
          )}
          <Radio.Group label="Permissions" {...form.field('allows')}>
            <Stack gap="xs" mt={6}>
              <Radio value="some" label="Selected scopes" />
              <Radio
                value="all"
                label="All permissions that partners can have: everything except keys and the request log"
              />
            </Stack>
          </Radio.Group>
          {form.values.allows === 'some' ? (
            <MultiSelect
              label="Scopes"
              placeholder={
                form.values.scopes.length === 0 ? 'Search for invoices, wallet…' : undefined
              }
              data={SCOPES}
              required
              searchable
              clearable
              hidePickedOptions
              maxDropdownHeight={260}
              nothingFoundMessage="No scope with that name"
              {...form.field('scopes')}
            />
          ) : (
            <Alert color="yellow">
              These permissions may allow the partner to move money out of the wallet.
            </Alert>
          )}
        </>
      )}
    </FormModal>
  )
}
