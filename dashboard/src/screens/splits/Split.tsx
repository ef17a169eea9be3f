import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconExternalLink, IconPencil } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Sharing } from '../../parts/Sharing.tsx'
import { Copyable, Status, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { Shares } from './Shares.tsx'
import { SplitForm } from './SplitForm.tsx'

const BEARERS: Record<string, string> = {
  business: 'You',
  customer: 'The payer',
  subaccounts: 'The subaccounts',
}

export function Split() {
  const { id } = useParams({ strict: false }) as { id: string }
  const may = useMay()
  const [isEditing, editing] = useDisclosure(false)
  const read = useRead<Envelope<SplitPage>>(`transaction-service/split-page/${id}`)
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
              Open the page
            </Button>
            {mayWrite && (
              <Button leftSection={<IconPencil size={16} />} onClick={editing.open}>
                Change
              </Button>
            )}
          </>
        )
      }
    >
      {page && (
        <>
          {!page.status && (
            <Alert color="yellow" title="The page is inactive">
              Payers are told that it takes no payments.
            </Alert>
          )}
          <Stack gap="lg">
            <Card title="Split page">
              <Facts
                of={{
                  Link: <Copyable text={page.url} />,
                  Shares: page.splitType === 'fixed' ? 'Fixed amounts' : 'In percent',
                  'Fee paid by': page.feeBearer ? BEARERS[page.feeBearer] : 'As your settings say',
                  Currency: page.currency,
                  Id: <Copyable text={String(page.id)} />,
                  Reference: <Copyable text={page.reference} />,
                  Created: <When at={page.createdAt} />,
                }}
              />
            </Card>
            <Shares of={page} mayWrite={mayWrite} />
            {page.status && (
              <Sharing
                link={page.url}
                title={page.name}
                text="Whoever has this link can pay any amount, which is shared at once."
              />
            )}
          </Stack>
          <SplitForm of={page} opened={isEditing} onClose={editing.close} />
        </>
      )}
    </DetailPage>
  )
}
