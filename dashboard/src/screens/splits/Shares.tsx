import { ActionIcon, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { ShareForm } from './ShareForm.tsx'
import { shareOf } from './shares.ts'

type Share = SplitPage['subaccounts'][number]

/** Who gets what of a payment; the rest is the business's own. */
export function Shares({ of: page, mayWrite }: { of: SplitPage; mayWrite: boolean }) {
  const [isAdding, adding] = useDisclosure(false)
  const removal = useAction<unknown, Share>({
    path: `transaction-service/split-page/${page.id}/subaccount/remove`,
    send: ({ subaccount }) => ({ sub_account_id: subaccount }),
    done: 'The subaccount gets no share of new payments.',
    undo: ({ subaccount, share, business_name: name }) => ({
      path: `transaction-service/split-page/${page.id}/subaccount/add`,
      body: { sub_account_id: subaccount, shere: share },
      says: `${name} has its share again.`,
    }),
  })
  const remove = (share: Share) =>
    confirm({
      title: `Take ${share.business_name} off this page?`,
      text: `It gets ${shareOf(page, share.share)} of each payment now, and will get nothing from new ones.`,
      verb: 'Remove',
      isDangerous: true,
      canUndo: true,
      go: () => removal.mutate(share),
    })
  return (
    <Card
      title="Shares"
      actions={
        mayWrite && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={adding.open}>
            Add a subaccount
          </Button>
        )
      }
    >
      {page.subaccounts.length === 0 ? (
        <Text c="dimmed">Nobody yet: everything paid here is yours.</Text>
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
    <Group justify="space-between" px="xs">
      <Text size="sm" c="dimmed">
        {splitType === 'fixed'
          ? `You get whatever is paid above ${shareOf(page, totalShare)}; smaller payments are refused.`
          : `You get the other ${shareOf(page, 100 - totalShare)}.`}
      </Text>
    </Group>
  )
}
