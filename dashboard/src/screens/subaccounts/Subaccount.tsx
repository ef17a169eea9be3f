import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Subaccount as Record } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { Balance } from './Balance.tsx'
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
      back={{ to: 'subaccounts', label: 'Subaccounts' }}
      title={subaccount?.business_name}
      status={<Status of={subaccount?.status} />}
      read={read}
      actions={
        subaccount &&
        may('subaccounts:write') && (
          <>
            <Activity of={subaccount} />
            <Button leftSection={<IconPencil size={16} />} onClick={editing.open}>
              Change
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
  active ? 'The subaccount is active again.' : 'The subaccount is inactive.'

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
      title: `Deactivate ${name}?`,
      text: 'It cannot be added to split pages any more. It keeps the shares it has until you remove them, and what it is owed is still paid out.',
      verb: 'Deactivate',
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
      {isActive ? 'Deactivate' : 'Activate'}
    </Button>
  )
}

/** What keeps its shares from being paid out. */
function Notes({ of: { bankCode, verified, bankName } }: { of: Record }) {
  if (!bankCode) {
    return (
      <Alert color="yellow" title="It has no bank yet">
        Its shares are kept, and are paid out once you name the bank of its account.
      </Alert>
    )
  }
  if (verified) return null
  return (
    <Alert color="yellow" title="The bank did not confirm the account">
      {bankName} does not know the account, or did not answer. Check the number; saving it again
      asks the bank again.
    </Alert>
  )
}

function SubaccountFacts({ of }: { of: Record }) {
  return (
    <Card title="Subaccount">
      <Facts
        of={{
          Code: <Copyable text={of.subaccount_code} />,
          'Account holder': of.account_name,
          'Account number': <Copyable text={of.account_number} />,
          Bank: of.bankName,
          'Confirmed by the bank': of.verified ? 'Yes' : 'No',
          'You keep': `${of.percentage_charge} % of payments made to it alone`,
          Currency: of.currency,
          Added: <When at={of.createdAt} />,
          Changed: of.updatedAt === of.createdAt ? undefined : <When at={of.updatedAt} />,
        }}
      />
    </Card>
  )
}
