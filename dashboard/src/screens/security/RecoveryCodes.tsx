import { Button, Code, CopyButton, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconCopy, IconDownload } from '@tabler/icons-react'
import { saveFile } from '../../api/download.ts'
import { t } from '../../texts/security.ts'

/** Ten codes, shown this once; only a press on the button takes them away. */
export function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: string[] | undefined
  onClose(): void
}) {
  const text = `${(codes ?? []).join('\n')}\n`
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title={t.recovery.title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">{t.recovery.text}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {codes?.map((code) => (
            <Code key={code} ta="center" data-recovery-code>
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button variant="default" leftSection={<IconCopy size={16} />} onClick={copy}>
                {copied ? t.recovery.copied : t.recovery.copy}
              </Button>
            )}
          </CopyButton>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() =>
              saveFile('tradepost-recovery-codes.txt', new Blob([text], { type: 'text/plain' }))
            }
          >
            {t.recovery.download}
          </Button>
        </Group>
        <Button onClick={onClose}>{t.recovery.kept}</Button>
      </Stack>
    </Modal>
  )
}
