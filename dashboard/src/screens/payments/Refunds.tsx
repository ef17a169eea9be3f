import {
  Loader,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconReceiptRefund } from '@tabler/icons-react'
import { useState } from 'react'
import { callOperation } from '../../api/call.ts'
import { useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { useUndecided } from '../../api/undecided.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { choice } from '../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../ui/ListPage.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { useGo, useSearchState } from '../../ui/navigation.ts'
import { useNewParam } from '../../ui/use-new-param.ts'
import { shortReference } from '../../ui/values.tsx'
import { type Payment, RefundForm, refusalOf } from './RefundForm.tsx'

export function Refunds() {
  const may = usePermission()
  const [isMaking, making] = useNewParam()
  const make = may('refunds:write') && (
    <ActionButton icon={IconReceiptRefund} label="Refund a payment" isMain onClick={making.open} />
  )
  return (
    <>
      <ListPage
        title="Refunds"
        actions={make}
        operation="list_refunds"
        search="transactionReference"
        searchFor="Full payment reference"
        filters={[
          choice('status', 'Status', [
            'Pending',
            'Processing',
            'Processed',
            'Failed',
            { value: 'NeedsAttention', label: 'Needs attention' },
          ]),
          { kind: 'day', name: 'startDate', label: 'From' },
          { kind: 'day', name: 'endDate', label: 'To' },
        ]}
        columns={[
          AMOUNT,
          STATUS,
          {
            label: 'Payment',
            cell: ({ transactionReference: its }) => (
              <span className="whole">
                <ScreenLink to={`payments/${its}`}>{shortReference(its)}</ScreenLink>
              </span>
            ),
          },
          { label: 'Reason', cell: ({ reason }) => <Reason of={reason} />, onPhone: 'below' },
          WHEN,
        ]}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => `refunds/${reference}`}
        empty={{
          title: 'No refunds yet',
          text: 'Refund all or part of a payment. Subaccounts pay back their share of the refund.',
          ...(make && { action: make }),
        }}
        nothing={({ status, transactionReference, startDate, endDate }) => {
          if (transactionReference && !status && !startDate && !endDate) {
            return {
              title: 'No refunds of this payment',
              text: 'Check the reference of the payment. It must be complete.',
            }
          }
          return status === 'NeedsAttention' && !transactionReference
            ? {
                title: 'No refunds need attention',
                text: 'If a bank cannot pay a refund out, for example because the account is closed, the refund waits here until someone decides what to do.',
              }
            : undefined
        }}
      >
        <Tabs />
      </ListPage>
      <NewRefund opened={isMaking} onClose={making.close} />
    </>
  )
}

function Tabs() {
  const [{ status }, change] = useSearchState()
  const { refunds } = useUndecided()
  return (
    <SegmentedControl
      w="fit-content"
      aria-label="Which refunds"
      value={status === 'NeedsAttention' ? status : ''}
      onChange={(chosen) => change({ status: chosen || undefined, page: undefined })}
      data={[
        { value: '', label: 'All' },
        {
          value: 'NeedsAttention',
          label: refunds > 0 ? `Needs attention (${refunds})` : 'Needs attention',
        },
      ]}
    />
  )
}

function Reason({ of }: { of: string | null }) {
  return (
    <Text size="sm" lineClamp={2} {...(!of && { c: 'dimmed' })}>
      {of ?? 'No reason given'}
    </Text>
  )
}

/** Asks for the payment first, and then shows its refund form. */
function NewRefund({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const go = useGo()
  const [payment, setPayment] = useState<Payment>()
  const close = () => {
    setPayment(undefined)
    onClose()
  }
  if (payment) {
    return (
      <RefundForm
        of={payment}
        opened={opened}
        onClose={close}
        onDone={(reference) => go(`refunds/${reference}`)}
      />
    )
  }
  return (
    <Modal opened={opened} onClose={close} title="Refund a payment">
      {opened && <Find onFound={setPayment} />}
    </Modal>
  )
}

const TYPING_MS = 250
const CHARACTERS_MIN = 2

/** Searches for a payment by customer, amount, invoice number or the start of a reference. */
function Find({ onFound }: { onFound(payment: Payment): void }) {
  const [typed, setTyped] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const isAsked = q.length >= CHARACTERS_MIN
  const { data, isFetching } = useOperation(
    'search',
    { q, only: 'transaction' },
    { enabled: isAsked, keepsPrevious: true },
  )
  const hits = isAsked ? (data?.data ?? []) : []
  const choose = async ({ path }: { path: string }) => {
    try {
      const payment = await paymentOf(path.replace('payments/', ''))
      const why = payment ? await refusalOf(payment) : 'There is no payment with this reference.'
      if (payment && !why) onFound(payment)
      else setRefusal(why)
    } catch (error) {
      setRefusal((error as Error).message)
    }
  }
  return (
    <Stack>
      <TextInput
        label="Find the payment"
        description="Search by customer, amount, invoice number or the start of a reference."
        autoComplete="off"
        data-autofocus
        value={typed}
        error={refusal}
        rightSection={isFetching && isAsked ? <Loader size={16} /> : undefined}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setRefusal(undefined)
        }}
      />
      {hits.length > 0 && (
        <ul className="bare found" aria-label="Payments">
          {hits.map((hit) => (
            <li key={hit.path}>
              <UnstyledButton py={8} w="100%" onClick={() => void choose(hit)}>
                <Text size="sm">{hit.title}</Text>
                <Text size="xs" c="dimmed" className="breaks">
                  {hit.detail}
                </Text>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
      {isAsked && data && !isFetching && hits.length === 0 && (
        <Text size="sm" c="dimmed">
          No payment found.
        </Text>
      )}
    </Stack>
  )
}

async function paymentOf(reference: string): Promise<Payment | undefined> {
  const found = await callOperation('list_transactions', { reference, limit: 1 })
  return found.data[0]
}
