import { ActionIcon, Button, Group, Pill, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Product } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { useMay } from '../../shell/may.ts'

/** The plain family alone has the options of products. */
const PATH = '/api/payment-service/v1/products'

type Option = Product['options'][number]

/** What buyers choose of a product: its sizes, its colours. */
export function Options({ of: { productId, options } }: { of: Product }) {
  const writes = useMay()('products:write')
  const [isAdding, adding] = useDisclosure(false)
  if (options.length === 0 && !writes) return null
  return (
    <Card
      title="Options"
      actions={
        writes &&
        options.length < 3 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={adding.open}
          >
            Add an option
          </Button>
        )
      }
    >
      {options.length === 0 ? (
        <Text size="sm" c="dimmed">
          Sizes, colours and the like; each combination has its own stock and price.
        </Text>
      ) : (
        <Stack gap="md">
          {options.map((option) => (
            <OneOption key={option.optionId} of={option} productId={productId} writes={writes} />
          ))}
        </Stack>
      )}
      <FormModal<{ name: string; values: string[] }>
        title="Add an option"
        opened={isAdding}
        onClose={adding.close}
        initial={{ name: '', values: [] }}
        action={{
          path: `${PATH}/add-product-options`,
          send: (option) => ({ productId, options: [option] }),
          done: 'The option is added.',
        }}
        validate={{
          name: (name: string) => (name.trim() ? null : 'What is chosen, such as Size?'),
          values: (values: string[]) => (values.length > 0 ? null : 'At least one.'),
        }}
        verb="Add the option"
      >
        {(form) => (
          <>
            <TextInput
              label="Name"
              placeholder="Size"
              data-autofocus
              required
              {...form.getInputProps('name')}
            />
            <TagsInput
              label="Values"
              description="Type one, then press Enter."
              required
              {...form.getInputProps('values')}
            />
          </>
        )}
      </FormModal>
    </Card>
  )
}

function OneOption({
  of: { optionId, name, values },
  productId,
  writes,
}: {
  of: Option
  productId: string
  writes: boolean
}) {
  const [value, setValue] = useState('')
  const add = useAction<unknown, string>({
    path: `${PATH}/add-product-option-variant`,
    send: (added) => ({ productId, optionId, value: added }),
    done: 'The value is added.',
  })
  const removeValue = useAction<unknown, number>({
    path: `${PATH}/delete-product-option-variant`,
    send: (optionVariantId) => ({ productId, optionId, optionVariantId }),
    done: 'The value is deleted.',
  })
  const remove = useAction({
    path: `${PATH}/delete-product-options`,
    send: () => ({ productId, optionId }),
    done: 'The option is deleted.',
  })
  const sure = (title: string, text: string, go: () => void) =>
    confirm({ title, text, verb: 'Delete', isDangerous: true, go })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600}>{name}</Text>
        {writes && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete the option ${name}`}
            onClick={() =>
              sure(
                `Delete the option ${name}?`,
                'Variants that are then alike become one, with the stock of all.',
                () => remove.mutate(),
              )
            }
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <Group gap="xs">
        {values.map(({ optionVariantId, value: one }) => (
          <Pill
            key={optionVariantId}
            size="md"
            withRemoveButton={writes && values.length > 1}
            removeButtonProps={{ 'aria-label': `Delete ${one}`, 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() =>
              sure(`Delete ${one}?`, 'Its variants go with what there is of them.', () =>
                removeValue.mutate(optionVariantId),
              )
            }
          >
            {one}
          </Pill>
        ))}
      </Group>
      {writes && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (value.trim()) add.mutate(value.trim(), { onSuccess: () => setValue('') })
          }}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              size="xs"
              aria-label={`Another value of ${name}`}
              placeholder="Another value"
              value={value}
              error={Object.values(add.error?.fields ?? {})[0]?.[0]}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
            <Button size="xs" variant="default" type="submit" loading={add.isPending}>
              Add
            </Button>
          </Group>
        </form>
      )}
    </Stack>
  )
}
