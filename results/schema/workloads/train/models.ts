/** A model as frameworks build it, without pretrained weights, for 1000 classes. */
export interface TrainedModel {
  name: string;
  /** Lowest number of trainable parameters in any framework: Keras adds biases that torchvision does not have. */
  parameters: number;
  /** Multiply-add operations of one forward pass of one image of 224 x 224 pixels, in units of 1e9. */
  gigaMacs: number;
}

/** Models by name. Sources: torchvision.models, sums of `parameters()`; operations as torchvision documents them. */
export const trainedModels: readonly TrainedModel[] = [
  { name: 'efficientnet_b0', parameters: 5_288_548, gigaMacs: 0.39 },
  { name: 'resnet50', parameters: 25_557_032, gigaMacs: 4.09 },
  { name: 'mobilenet_v3_large', parameters: 5_483_032, gigaMacs: 0.22 },
  // A small model for trials, from no library: one convolution and one linear layer.
  { name: 'tiny', parameters: 9_240, gigaMacs: 0.02 },
];
export const trainedModelNames = trainedModels.map(({ name }) => name);
