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
import { t as own } from '../../texts/partners.ts'
import { GrantForm } from './GrantForm.tsx'

/** Who else may act for the business: programs of others, by tokens of their own. */
export function Partners() {
  const [isGranting, granting] = useDisclosure(false)
  const may = useMay()
  const mayWrite = may('keys:write')
  const grant = mayWrite && (
    <Button leftSection={<IconPlus size={16} />} onClick={granting.open}>
      {own.letAPartnerIn}
    </Button>
  )
  return (
    <>
      <ListPage<Partner>
        title={own.partners}
        actions={grant}
        path="user-service/partners"
        cut="whole"
        columns={[
          { label: own.partner, cell: (partner) => <Named of={partner} /> },
          STATUS,
          { label: own.may, cell: (partner) => mayOf(partner) },
          {
            label: own.lastUsed,
            cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : own.never),
          },
          { label: own.letIn, cell: ({ updatedAt }) => <When at={updatedAt} /> },
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
          title: own.nobodyElseHasAccess,
          text: own.aPartnerIsAnotherCompanys,
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
  if (scopes === null) return own.allThatItMayAt
  if (effectiveScopes.length <= 3) return effectiveScopes.join(', ') || 'Nothing'
  return own.andMore(effectiveScopes.slice(0, 2).join(', '), effectiveScopes.length - 2)
}

function Actions({ of: partner }: { of: Partner }) {
  const { clientId, name, status } = partner
  const [isEditing, editing] = useDisclosure(false)
  const revoke = useAction({
    path: `user-service/partners/${clientId}/revoke`,
    done: own.hasNoAccessAnyMore(name),
    refresh: ['user-service/partners'],
  })
  const ask = () =>
    confirm({
      title: own.endTheAccessOf(name),
      text: own.itsTokensStopWorkingAt,
      verb: own.revokeAccess,
      isDangerous: true,
      go: () => revoke.mutate(),
    })
  return (
    <Group gap="xs" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        onClick={editing.open}
        aria-label={own.changeWhatMay(name)}
      >
        {status === 'Active' ? own.change : own.letInAgain}
      </Button>
      {status === 'Active' && (
        <Button
          size="xs"
          variant="default"
          c="var(--bad)"
          loading={revoke.isPending}
          onClick={ask}
          aria-label={own.revokeTheAccessOf(name)}
        >
          {own.revoke}
        </Button>
      )}
      <GrantForm of={partner} opened={isEditing} onClose={editing.close} />
    </Group>
  )
}
