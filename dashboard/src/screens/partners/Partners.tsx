import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import type { Partner } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { STATUS } from '../../parts/columns.tsx'
import { confirm } from '../../parts/confirm.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/en.ts'
import { GrantForm } from './GrantForm.tsx'

/** Who else may act for the business: programs of others, by tokens of their own. */
export function Partners() {
  const [isGranting, granting] = useDisclosure(false)
  const may = useMay()
  const mayWrite = may('keys:write')
  const grant = mayWrite && (
    <Button leftSection={<IconPlus size={16} />} onClick={granting.open}>
      Let a partner in
    </Button>
  )
  return (
    <>
      <ListPage<Partner>
        title="Partners"
        actions={grant}
        path="user-service/partners"
        cut="whole"
        columns={[
          { label: 'Partner', cell: (partner) => <Named of={partner} /> },
          STATUS,
          { label: 'May', cell: (partner) => mayOf(partner) },
          {
            label: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : 'Never'),
          },
          { label: 'Let in', cell: ({ updatedAt }) => <When at={updatedAt} /> },
          ...(mayWrite
            ? [
                {
                  label: t.action.actions,
                  cell: (partner: Partner) => <Actions of={partner} />,
                  onPhone: true,
                  align: 'right' as const,
                },
              ]
            : []),
        ]}
        keyOf={({ reference }) => reference}
        empty={{
          title: 'Nobody else has access',
          text: 'A partner is another company’s program, such as your bookkeeping, that acts for this business with tokens of its own. It tells you its client id, and you say here what it may do.',
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
  if (status === 'Revoked') return 'Nothing'
  if (scopes === null) return 'All that it may at all'
  if (effectiveScopes.length <= 3) return effectiveScopes.join(', ') || 'Nothing'
  return `${effectiveScopes.slice(0, 2).join(', ')} and ${effectiveScopes.length - 2} more`
}

function Actions({ of: partner }: { of: Partner }) {
  const { clientId, name, status } = partner
  const [isEditing, editing] = useDisclosure(false)
  const revoke = useAction({
    path: `user-service/partners/${clientId}/revoke`,
    done: `${name} has no access any more.`,
    refresh: ['user-service/partners'],
  })
  const ask = () =>
    confirm({
      title: `End the access of ${name}?`,
      text: 'Its tokens stop working at once. You can let it in again later.',
      verb: 'Revoke access',
      isDangerous: true,
      go: () => revoke.mutate(),
    })
  return (
    <Group gap="xs" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        onClick={editing.open}
        aria-label={`Change what ${name} may`}
      >
        {status === 'Active' ? 'Change' : 'Let in again'}
      </Button>
      {status === 'Active' && (
        <Button
          size="xs"
          variant="default"
          c="var(--bad)"
          loading={revoke.isPending}
          onClick={ask}
          aria-label={`Revoke the access of ${name}`}
        >
          Revoke
        </Button>
      )}
      <GrantForm of={partner} opened={isEditing} onClose={editing.close} />
    </Group>
  )
}
