import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Subaccount as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/subaccounts.ts'
import { Balance } from './Balance.tsx'
import { Notes } from './Notes.tsx'
import { PaidOut } from './PaidOut.tsx'
import { SubaccountForm } from './SubaccountForm.tsx'

export function Subaccount() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const may = useMay()
  const [isEditing, editing] = useDisclosure(false)
  const read = useRead<Envelope<Record>>(`transaction-service/subaccounts/${reference}`)
  const subaccount = read.data?.data
  return (
    <DetailPage
      back={{ to: 'subaccounts', label: t.subaccounts }}
      title={subaccount?.business_name}
      status={<Status of={subaccount?.status} />}
      read={read}
      actions={
        subaccount &&
        may('subaccounts:write') && (
          <>
            <Activity of={subaccount} />
            <Button leftSection={<IconPencil size={16} />} onClick={editing.open}>
              {t.change}
            </Button>
          </>
        )
      }
    >
      {subaccount && (
        <>
          <Notes of={subaccount} />
          <Stack gap="lg">
            <Balance of={subaccount} />
            <SubaccountFacts of={subaccount} />
            {may('settlements:read') && <PaidOut of={subaccount} />}
          </Stack>
          <SubaccountForm of={subaccount} opened={isEditing} onClose={editing.close} />
        </>
      )}
    </DetailPage>
  )
}

const activitySays = (active: boolean): string =>
  active ? t.theSubaccountIsActiveAgain : t.theSubaccountIsInactive

/** Deactivates it, or takes it back. */
function Activity({ of: { status, subaccount_code: code, business_name: name } }: { of: Record }) {
  const isActive = status === 'Active'
  const operation = { path: `transaction-service/subaccounts/${code}`, method: 'PUT' } as const
  const shownAs = (active: boolean) => ({
    in: 'transaction-service/subaccounts',
    is: (row: Record) => row.subaccount_code === code,
    as: { status: active ? 'Active' : 'Inactive' } as const,
  })
  const act = useAction<unknown, boolean>({
    ...operation,
    send: (active) => ({ active }),
    shown: shownAs,
    done: activitySays,
    undo: (active) => ({
      ...operation,
      body: { active: !active },
      says: activitySays(!active),
      shown: shownAs(!active),
    }),
  })
  const ask = () =>
    confirm({
      title: t.askToDeactivate(name),
      text: t.itCannotBeAddedTo,
      verb: t.deactivate,
      isDangerous: true,
      canUndo: true,
      go: () => act.mutate(false),
    })
  return (
    <Button
      variant="default"
      leftSection={isActive ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
      loading={act.isPending}
      onClick={() => (isActive ? ask() : act.mutate(true))}
    >
      {isActive ? t.deactivate : t.activate}
    </Button>
  )
}

function SubaccountFacts({ of }: { of: Record }) {
  return (
    <Card title={t.subaccount}>
      <Facts
        of={{
          [t.code]: <Copyable text={of.subaccount_code} />,
          [t.accountHolder]: of.account_name,
          [t.nameAtTheBank]:
            of.bankAccountName === of.account_name ? undefined : of.bankAccountName,
          [t.accountNumber]: <Copyable text={of.account_number} />,
          [t.bank]: of.bankName,
          [t.confirmedByTheBank]: of.verified ? 'Yes' : 'No',
          [t.youKeep]: t.ofPaymentsMadeToIt(of.percentage_charge),
          [t.currency]: of.currency,
          [t.added]: <When at={of.createdAt} />,
          [t.changed]: of.updatedAt === of.createdAt ? undefined : <When at={of.updatedAt} />,
        }}
      />
    </Card>
  )
}
