/** A model as frameworks build it without pretrained weights, for 1000 classes. */
export interface TrainedModel {
  name: string;
  /** Fewest trainable parameters that any framework gives it: Keras has biases that torchvision has not. */
  parameters: number;
  /** Multiplications and additions of one forward pass of one image with an edge of 224 pixels, 1e9. */
  gigaMacs: number;
}

/** Sources: torchvision.models, sums of `parameters()`; operations as torchvision documents them. */
export const trainedModels: readonly TrainedModel[] = [
  { name: 'efficientnet_b0', parameters: 5_288_548, gigaMacs: 0.39 },
  { name: 'resnet50', parameters: 25_557_032, gigaMacs: 4.09 },
  { name: 'mobilenet_v3_large', parameters: 5_483_032, gigaMacs: 0.22 },
  // One convolution and one linear layer, of no library: for trials.
  { name: 'tiny', parameters: 9_240, gigaMacs: 0.02 },
];
export const trainedModelNames = trainedModels.map(({ name }) => name);
