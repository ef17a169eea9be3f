import {
  ActionIcon,
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Table,
  Text,
} from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { IconExternalLink, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SplitPage } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { Sharing } from '../../../ui/Sharing.tsx'
import type { FormState } from '../../../ui/use-form.ts'
import { Status } from '../../../ui/values.tsx'
import { SplitForm, shareOf } from './Splits.tsx'

const BEARERS: Record<string, string> = {
  business: 'You',
  customer: 'The payer',
  subaccounts: 'The subaccounts',
}

export function Split() {
  const { id } = useParams({ from: '/$mode/splits/$id' })
  const may = usePermission()
  const [isEditing, editing] = useDisclosure(false)
  const read = useOperation('get_split_page', { id })
  const page = read.data?.data
  const mayWrite = may('split_pages:write')
  return (
    <DetailPage
      back={{ to: 'splits', label: 'Split pages' }}
      title={page?.name}
      status={page && <Status of={page.status ? 'Active' : 'Inactive'} />}
      read={read}
      actions={
        page && (
          <>
            <Button
              component="a"
              href={page.url}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
              leftSection={<IconExternalLink size={16} />}
            >
              Open page
            </Button>
            {mayWrite && (
              <ActionButton icon={IconPencil} label="Edit" isMain onClick={editing.open} />
            )}
          </>
        )
      }
    >
      {page && (
        <>
          {!page.status && (
            <Alert color="yellow" title="The page is inactive">
              Payers see a message that this page isn’t accepting payments.
            </Alert>
          )}
          <Stack gap="lg">
            <Card title="Split page">
              <Facts>
                <Fact label="Link" copy={page.url} />
                <Fact
                  label="Shares"
                  value={page.splitType === 'fixed' ? 'Fixed amounts' : 'Percentages'}
                />
                <Fact
                  label="Fee paid by"
                  value={page.feeBearer ? BEARERS[page.feeBearer] : 'Default'}
                />
                <Fact label="Currency" value={page.currency} />
                <Fact label="ID" copy={String(page.id)} />
                <Fact label="Reference" copy={page.reference} />
                <Fact label="Created" at={page.createdAt} />
              </Facts>
            </Card>
            <Shares of={page} mayWrite={mayWrite} />
            {page.status && (
              <Sharing
                link={page.url}
                title={page.name}
                text="Anyone with this link can pay any amount. Each payment is split immediately."
              />
            )}
          </Stack>
          <SplitForm of={page} opened={isEditing} onClose={editing.close} />
        </>
      )}
    </DetailPage>
  )
}

type Share = SplitPage['subaccounts'][number]

function Shares({ of: page, mayWrite }: { of: SplitPage; mayWrite: boolean }) {
  const [isAdding, adding] = useDisclosure(false)
  const removal = useAction(
    act('remove_split_page_subaccount', {
      input: ({ subaccount }: Share) => ({ id: page.id, sub_account_id: subaccount }),
      done: 'Share removed.',
      undo: ({ subaccount, share, business_name: name }) =>
        undoWith(
          'add_split_page_subaccount',
          { id: page.id, sub_account_id: subaccount, shere: share },
          { says: `${name}’s share restored.` },
        ),
    }),
  )
  const remove = (share: Share) =>
    confirm({
      title: `Remove ${share.business_name} from this page?`,
      text: `This subaccount currently gets ${shareOf(page, share.share)} of each payment, but will not get a share of new payments.`,
      verb: 'Remove share',
      isDangerous: true,
      canUndo: true,
      go: () => removal.mutate(share),
    })
  return (
    <Card
      title="Shares"
      actions={
        mayWrite && <ActionButton icon={IconPlus} label="Add a subaccount" onClick={adding.open} />
      }
    >
      {page.subaccounts.length === 0 ? (
        <Text c="dimmed">No subaccounts yet. You keep every payment in full.</Text>
      ) : (
        <Stack gap="xs">
          <Table aria-label="Shares">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Subaccount</Table.Th>
                <Table.Th ta="right">Share</Table.Th>
                {mayWrite && <Table.Th w={48} aria-label="Remove" />}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {page.subaccounts.map((share) => (
                <Table.Tr key={share.subaccount}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <ScreenLink to={`subaccounts/${share.subaccount}`}>
                      {share.business_name}
                    </ScreenLink>
                  </Table.Td>
                  <Table.Td ta="right">{shareOf(page, share.share)}</Table.Td>
                  {mayWrite && (
                    <Table.Td>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        onClick={() => remove(share)}
                        aria-label={`Remove ${share.business_name}`}
                      >
                        <IconTrash size={16} />
                      </ActionIcon>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Rest of={page} />
        </Stack>
      )}
      <ShareForm of={page} opened={isAdding} onClose={adding.close} />
    </Card>
  )
}

function Rest({ of: page }: { of: SplitPage }) {
  const { splitType, totalShare } = page
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {splitType === 'fixed'
          ? `You get everything above ${shareOf(page, totalShare)}. Smaller payments are refused.`
          : `You get the remaining ${shareOf(page, 100 - totalShare)}.`}
      </Text>
    </Group>
  )
}

interface Values extends Record<string, unknown> {
  subaccount: string | null
  share: number | string
}

/** Replaces any share that the subaccount already has on the page. */
function ShareForm({ of: page, ...dialog }: DialogProps & { of: SplitPage }) {
  return (
    <FormModal<Values>
      title="Share with a subaccount"
      {...dialog}
      initial={{ subaccount: null, share: '' }}
      action={act('add_split_page_subaccount', {
        input: ({ subaccount, share }: Values) => ({
          id: page.id,
          sub_account_id: subaccount!,
          shere: Number(share),
        }),
        done: 'Share saved.',
      })}
      validate={{
        subaccount: (code) => (code ? null : 'Choose a subaccount.'),
        share: (share) =>
          Number(share) >= 1 && Number.isInteger(Number(share))
            ? null
            : 'Enter a whole number of 1 or more.',
      }}
      verb="Save share"
    >
      {(form) => <Fields form={form} page={page} />}
    </FormModal>
  )
}

function Fields({ form, page }: { form: FormState<Values>; page: SplitPage }) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data } = useOperation('list_subaccounts', {
    page: 1,
    limit: 50,
    sort: 'asc',
    sortKey: 'business_name',
    searchString: asked,
  })
  const options = (data?.data ?? [])
    .filter(({ status, currency }) => status === 'Active' && currency === page.currency)
    .map((one) => ({ value: one.subaccount_code, label: one.business_name }))
  return (
    <>
      <Select
        label="Subaccount"
        placeholder="Search by name"
        data={options}
        searchable
        // The server searches all subaccounts, and not only those that are loaded.
        filter={({ options: found }) => found}
        onSearchChange={setText}
        nothingFoundMessage="No active subaccount with that name"
        required
        data-autofocus
        {...form.field('subaccount')}
      />
      {page.splitType === 'fixed' ? (
        <MoneyInput
          label="Share of each payment"
          description="In whole naira."
          currency={page.currency}
          decimalScale={0}
          required
          {...form.field('share')}
        />
      ) : (
        <NumberInput
          label="Share of each payment"
          description={`Use whole percentages; ${100 - page.totalShare}% is not allocated yet.`}
          suffix="%"
          min={1}
          max={100}
          allowDecimal={false}
          hideControls
          required
          {...form.field('share')}
        />
      )}
    </>
  )
}
