import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { useNew } from '../../parts/new.ts'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { SplitForm } from './SplitForm.tsx'
import { shareOf } from './shares.ts'

export function Splits() {
  const may = useMay()
  const go = useGo()
  const [isMaking, making] = useNew()
  const make = may('split_pages:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={making.open}>
      New split page
    </Button>
  )
  return (
    <>
      <ListPage<SplitPage>
        title="Split pages"
        actions={make}
        path="transaction-service/split-page/all"
        query={{ sort: 'desc' }}
        search="searchString"
        filters={[
          {
            kind: 'choice',
            name: 'status',
            label: 'Status',
            options: [
              { value: 'true', label: 'Active' },
              { value: 'false', label: 'Inactive' },
            ],
          },
          {
            kind: 'choice',
            name: 'splitType',
            label: 'Shares',
            options: [
              { value: 'percentage', label: 'In percent' },
              { value: 'fixed', label: 'Fixed amounts' },
            ],
          },
        ]}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          {
            label: 'Status',
            cell: ({ status }) => <Status of={status ? 'Active' : 'Inactive'} />,
            onPhone: true,
          },
          { label: 'Shared', cell: (page) => summaryOf(page), onPhone: 'below' },
          { label: 'Link', cell: ({ url, slug }) => <Copyable text={url} shown={cut(slug)} /> },
          { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
        ]}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `splits/${id}`}
        empty={{
          title: 'No split pages yet',
          text: 'A payment on a split page is shared at once: each subaccount gets its part, a percentage or a fixed amount, and you get the rest.',
          ...(make && { action: make }),
        }}
      />
      <SplitForm opened={isMaking} onClose={making.close} onDone={(id) => go(`splits/${id}`)} />
    </>
  )
}

/** As much of a link as tells it from others. */
const SLUG_SHOWN = 24
const cut = (slug: string) => (slug.length > SLUG_SHOWN ? `${slug.slice(0, SLUG_SHOWN)}…` : slug)

function summaryOf(page: SplitPage): string {
  const { length } = page.subaccounts
  if (length === 0) return 'With nobody yet'
  return `${shareOf(page, page.totalShare)} with ${length === 1 ? 'one subaccount' : `${length} subaccounts`}`
}
