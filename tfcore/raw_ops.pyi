# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'Abort', 'Abs', 'AccumulateNV2', 'AccumulatorApplyGradient', 'AccumulatorNumAccumulated', 'AccumulatorSetGlobalStep',
'AccumulatorTakeGradient', 'Acos', 'Acosh', 'Add', 'AddManySparseToTensorsMap', 'AddN', 'AddSparseToTensorsMap',
'AddV2', 'AdjustContrast', 'AdjustContrastv2', 'AdjustHue', 'AdjustSaturation', 'All', 'AllCandidateSampler', 'Angle',
'Any', 'ApplyAdaMax', 'ApplyAdadelta', 'ApplyAdagrad', 'ApplyAdagradDA', 'ApplyAdagradV2', 'ApplyAdam', 'ApplyAddSign',
'ApplyCenteredRMSProp', 'ApplyFtrl', 'ApplyFtrlV2', 'ApplyGradientDescent', 'ApplyMomentum', 'ApplyPowerSign',
'ApplyProximalAdagrad', 'ApplyProximalGradientDescent', 'ApplyRMSProp', 'ApproximateEqual', 'ArgMax', 'ArgMin',
'AsString', 'Asin', 'Asinh', 'Assert', 'AssertCardinalityDataset', 'Assign', 'AssignAdd', 'AssignAddVariableOp',
'AssignSub', 'AssignSubVariableOp', 'AssignVariableOp', 'Atan', 'Atan2', 'Atanh', 'AudioSpectrogram', 'AudioSummary',
'AudioSummaryV2', 'AvgPool', 'AvgPool3D', 'AvgPool3DGrad', 'AvgPoolGrad', 'Barrier', 'BarrierClose',
'BarrierIncompleteSize', 'BarrierInsertMany', 'BarrierReadySize', 'BarrierTakeMany', 'BatchCholesky',
'BatchCholeskyGrad', 'BatchDataset', 'BatchDatasetV2', 'BatchFFT', 'BatchFFT2D', 'BatchFFT3D', 'BatchIFFT',
'BatchIFFT2D', 'BatchIFFT3D', 'BatchMatMul', 'BatchMatMulV2', 'BatchMatMulV3', 'BatchMatrixBandPart',
'BatchMatrixDeterminant', 'BatchMatrixDiag', 'BatchMatrixDiagPart', 'BatchMatrixInverse', 'BatchMatrixSetDiag',
'BatchMatrixSolve', 'BatchMatrixSolveLs', 'BatchMatrixTriangularSolve', 'BatchNormWithGlobalNormalization',
'BatchNormWithGlobalNormalizationGrad', 'BatchSelfAdjointEig', 'BatchSelfAdjointEigV2', 'BatchSvd', 'BatchToSpace',
'BatchToSpaceND', 'BesselI0', 'BesselI0e', 'BesselI1', 'BesselI1e', 'BesselJ0', 'BesselJ1', 'BesselK0', 'BesselK0e',
'BesselK1', 'BesselK1e', 'BesselY0', 'BesselY1', 'Betainc', 'BiasAdd', 'BiasAddGrad', 'BiasAddV1', 'Bincount',
'Bitcast', 'BitwiseAnd', 'BitwiseOr', 'BitwiseXor', 'BroadcastArgs', 'BroadcastGradientArgs', 'BroadcastTo',
'Bucketize', 'CTCBeamSearchDecoder', 'CTCGreedyDecoder', 'CTCLoss', 'CacheDataset', 'CacheDatasetV2', 'Case', 'Cast',
'Ceil', 'CheckNumerics', 'Cholesky', 'CholeskyGrad', 'ClipByValue', 'CombinedNonMaxSuppression', 'Complex',
'ComplexAbs', 'ComputeAccidentalHits', 'Concat', 'ConcatOffset', 'ConcatV2', 'ConcatenateDataset',
'ConditionalAccumulator', 'Conj', 'ConjugateTranspose', 'Const', 'ControlTrigger', 'Conv2D', 'Conv2DBackpropFilter',
'Conv2DBackpropInput', 'Conv3D', 'Conv3DBackpropFilter', 'Conv3DBackpropFilterV2', 'Conv3DBackpropInput',
'Conv3DBackpropInputV2', 'Copy', 'CopyHost', 'Cos', 'Cosh', 'CountUpTo', 'CropAndResize', 'CropAndResizeGradBoxes',
'CropAndResizeGradImage', 'Cross', 'CudaFunc', 'CudaFuncStateless', 'CudaKernel', 'Cumprod', 'Cumsum',
'CumulativeLogsumexp', 'DatasetCardinality', 'DatasetToSingleElement', 'Dawsn', 'DebugIdentity', 'DebugNanCount',
'DebugNumericSummary', 'DecodeAndCropJpeg', 'DecodeBase64', 'DecodeBmp', 'DecodeCSV', 'DecodeCompressed', 'DecodeGif',
'DecodeImage', 'DecodeJSONExample', 'DecodeJpeg', 'DecodePaddedRaw', 'DecodePng', 'DecodeRaw', 'DecodeWav', 'DeepCopy',
'DeleteSessionTensor', 'DenseBincount', 'DenseCountSparseOutput', 'DenseToDenseSetOperation',
'DenseToSparseSetOperation', 'DepthToSpace', 'DepthwiseConv2dNative', 'DepthwiseConv2dNativeBackpropFilter',
'DepthwiseConv2dNativeBackpropInput', 'Dequantize', 'DeserializeIterator', 'DeserializeManySparse', 'DeserializeSparse',
'DestroyResourceOp', 'Diag', 'DiagPart', 'Digamma', 'Dilation2D', 'Dilation2DBackpropFilter', 'Dilation2DBackpropInput',
'DirectedInterleaveDataset', 'DisableCopyOnRead', 'Div', 'DivNoNan', 'DrawBoundingBoxes', 'DrawBoundingBoxesV2',
'DummyMemoryCache', 'DummySeedGenerator', 'DynamicPartition', 'DynamicStitch', 'EditDistance', 'Eig', 'Einsum', 'Elu',
'EluGrad', 'EmptyTensorList', 'EncodeBase64', 'EncodeJpeg', 'EncodeJpegVariableQuality', 'EncodePng', 'EncodeWav',
'EnsureShape', 'Enter', 'Equal', 'Erf', 'Erfc', 'Erfinv', 'EuclideanNorm', 'Exit', 'Exp', 'ExpandDims',
'ExperimentalLMDBDataset', 'Expint', 'Expm1', 'ExtractGlimpse', 'ExtractGlimpseV2', 'ExtractImagePatches',
'ExtractJpegShape', 'ExtractVolumePatches', 'FFT', 'FFT2D', 'FFT3D', 'FIFOQueue', 'FIFOQueueV2', 'Fact',
'FakeQuantWithMinMaxArgs', 'FakeQuantWithMinMaxArgsGradient', 'FakeQuantWithMinMaxVars',
'FakeQuantWithMinMaxVarsGradient', 'FakeQuantWithMinMaxVarsPerChannel', 'FakeQuantWithMinMaxVarsPerChannelGradient',
'FakeQueue', 'Fill', 'FilterDataset', 'Fingerprint', 'FixedLengthRecordDataset', 'FixedLengthRecordDatasetV2',
'FixedLengthRecordReader', 'FixedLengthRecordReaderV2', 'FixedUnigramCandidateSampler', 'FlatMapDataset', 'Floor',
'FloorDiv', 'FloorMod', 'FractionalAvgPool', 'FractionalAvgPoolGrad', 'FractionalMaxPool', 'FractionalMaxPoolGrad',
'FresnelCos', 'FresnelSin', 'FusedBatchNorm', 'FusedBatchNormGrad', 'FusedBatchNormGradV2', 'FusedBatchNormGradV3',
'FusedBatchNormV2', 'FusedBatchNormV3', 'FusedPadConv2D', 'FusedResizeAndPadConv2D', 'Gather', 'GatherNd', 'GatherV2',
'GeneratorDataset', 'GetSessionHandle', 'GetSessionHandleV2', 'GetSessionTensor', 'Greater', 'GreaterEqual',
'GroupAllgather', 'GroupAllreduce', 'GroupBarrier', 'GroupBroadcast', 'GroupByReducerDataset', 'GroupByWindowDataset',
'GroupCheckEqual', 'GroupReduceScatter', 'GuaranteeConst', 'HSVToRGB', 'HashTable', 'HashTableV2',
'HistogramFixedWidth', 'HistogramSummary', 'IFFT', 'IFFT2D', 'IFFT3D', 'IRFFT', 'IRFFT2D', 'IRFFT3D', 'Identity',
'IdentityN', 'IdentityReader', 'IdentityReaderV2', 'If', 'Igamma', 'IgammaGradA', 'Igammac', 'IgnoreErrorsDataset',
'Imag', 'ImageProjectiveTransformV2', 'ImageProjectiveTransformV3', 'ImageSummary', 'ImmutableConst', 'InTopK',
'InTopKV2', 'InitializeTable', 'InitializeTableFromTextFile', 'InitializeTableFromTextFileV2', 'InitializeTableV2',
'InterleaveDataset', 'Inv', 'InvGrad', 'Invert', 'InvertPermutation', 'IsFinite', 'IsInf', 'IsNan',
'IsVariableInitialized', 'Iterator', 'IteratorFromStringHandle', 'IteratorFromStringHandleV2', 'IteratorGetNext',
'IteratorGetNextAsOptional', 'IteratorGetNextSync', 'IteratorToStringHandle', 'IteratorV2', 'L2Loss', 'LMDBDataset',
'LMDBReader', 'LRN', 'LRNGrad', 'LeakyRelu', 'LeakyReluGrad', 'LearnedUnigramCandidateSampler', 'LeftShift',
'LegacyParallelInterleaveDatasetV2', 'Less', 'LessEqual', 'Lgamma', 'LinSpace', 'ListDiff', 'Log', 'Log1p',
'LogMatrixDeterminant', 'LogSoftmax', 'LogUniformCandidateSampler', 'LogicalAnd', 'LogicalNot', 'LogicalOr',
'LookupTableExport', 'LookupTableExportV2', 'LookupTableFind', 'LookupTableFindV2', 'LookupTableImport',
'LookupTableImportV2', 'LookupTableInsert', 'LookupTableInsertV2', 'LookupTableRemoveV2', 'LookupTableSize',
'LookupTableSizeV2', 'LoopCond', 'LowerBound', 'Lu', 'MakeIterator', 'MapAndBatchDataset', 'MapClear', 'MapDataset',
'MapIncompleteSize', 'MapPeek', 'MapSize', 'MapStage', 'MapUnstage', 'MapUnstageNoKey', 'MatMul', 'MatchingFiles',
'MatrixBandPart', 'MatrixDeterminant', 'MatrixDiag', 'MatrixDiagPart', 'MatrixDiagPartV2', 'MatrixDiagPartV3',
'MatrixDiagV2', 'MatrixDiagV3', 'MatrixInverse', 'MatrixLogarithm', 'MatrixSetDiag', 'MatrixSetDiagV2',
'MatrixSetDiagV3', 'MatrixSolve', 'MatrixSolveLs', 'MatrixSquareRoot', 'MatrixTriangularSolve', 'Max', 'MaxPool',
'MaxPool3D', 'MaxPool3DGrad', 'MaxPool3DGradGrad', 'MaxPoolGrad', 'MaxPoolGradGrad', 'MaxPoolGradGradV2',
'MaxPoolGradGradWithArgmax', 'MaxPoolGradV2', 'MaxPoolGradWithArgmax', 'MaxPoolV2', 'MaxPoolWithArgmax', 'Maximum',
'Mean', 'Merge', 'MergeSummary', 'MergeV2Checkpoints', 'Mfcc', 'Min', 'Minimum', 'MirrorPad', 'MirrorPadGrad', 'Mod',
'ModelDataset', 'Mul', 'MulNoNan', 'Multinomial', 'MutableDenseHashTable', 'MutableDenseHashTableV2',
'MutableHashTable', 'MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2', 'MutableHashTableV2', 'Ndtri', 'Neg',
'NextAfter', 'NextIteration', 'NoOp', 'NonMaxSuppression', 'NonMaxSuppressionV2', 'NonMaxSuppressionV3',
'NonMaxSuppressionV4', 'NonMaxSuppressionV5', 'NonMaxSuppressionWithOverlaps', 'NotEqual', 'NthElement', 'OneHot',
'OneShotIterator', 'OnesLike', 'OptimizeDataset', 'OptimizeDatasetV2', 'OptionalFromValue', 'OptionalGetValue',
'OptionalHasValue', 'OptionalNone', 'OptionsDataset', 'OrderedMapClear', 'OrderedMapIncompleteSize', 'OrderedMapPeek',
'OrderedMapSize', 'OrderedMapStage', 'OrderedMapUnstage', 'OrderedMapUnstageNoKey', 'Pack', 'Pad', 'PadV2',
'PaddedBatchDataset', 'PaddedBatchDatasetV2', 'PaddingFIFOQueue', 'PaddingFIFOQueueV2', 'ParallelBatchDataset',
'ParallelConcat', 'ParallelDynamicStitch', 'ParallelInterleaveDataset', 'ParallelInterleaveDatasetV2',
'ParallelInterleaveDatasetV3', 'ParallelInterleaveDatasetV4', 'ParallelMapDataset', 'ParallelMapDatasetV2',
'ParameterizedTruncatedNormal', 'ParseExample', 'ParseExampleV2', 'ParseSequenceExample', 'ParseSequenceExampleV2',
'ParseSingleExample', 'ParseSingleSequenceExample', 'ParseTensor', 'PartitionedCall', 'Placeholder', 'PlaceholderV2',
'PlaceholderWithDefault', 'Polygamma', 'PopulationCount', 'Pow', 'PrefetchDataset', 'PreventGradient', 'Print',
'PrintV2', 'PriorityQueue', 'PriorityQueueV2', 'Prod', 'PyFunc', 'PyFuncStateless', 'Qr', 'QuantizeAndDequantize',
'QuantizeAndDequantizeV2', 'QuantizeAndDequantizeV3', 'QuantizeAndDequantizeV4', 'QuantizeAndDequantizeV4Grad',
'QuantizeDownAndShrinkRange', 'QuantizeV2', 'QuantizedAvgPool', 'QuantizedBatchNormWithGlobalNormalization',
'QuantizedBiasAdd', 'QuantizedConcat', 'QuantizedConv2D', 'QuantizedInstanceNorm', 'QuantizedMatMul',
'QuantizedMaxPool', 'QuantizedRelu', 'QuantizedRelu6', 'QuantizedReluX', 'QuantizedReshape', 'QueueClose',
'QueueCloseV2', 'QueueDequeue', 'QueueDequeueMany', 'QueueDequeueManyV2', 'QueueDequeueUpTo', 'QueueDequeueUpToV2',
'QueueDequeueV2', 'QueueEnqueue', 'QueueEnqueueMany', 'QueueEnqueueManyV2', 'QueueEnqueueV2', 'QueueIsClosed',
'QueueIsClosedV2', 'QueueSize', 'QueueSizeV2', 'RFFT', 'RFFT2D', 'RFFT3D', 'RGBToHSV', 'RaggedBincount',
'RaggedCountSparseOutput', 'RaggedGather', 'RaggedRange', 'RaggedTensorFromVariant', 'RaggedTensorToSparse',
'RaggedTensorToTensor', 'RaggedTensorToVariant', 'RaggedTensorToVariantGradient', 'RandomCrop', 'RandomDataset',
'RandomDatasetV2', 'RandomGamma', 'RandomGammaGrad', 'RandomIndexShuffle', 'RandomPoisson', 'RandomPoissonV2',
'RandomShuffle', 'RandomShuffleQueue', 'RandomShuffleQueueV2', 'RandomStandardNormal', 'RandomUniform',
'RandomUniformInt', 'Range', 'RangeDataset', 'Rank', 'ReadFile', 'ReadVariableOp', 'ReaderNumRecordsProduced',
'ReaderNumRecordsProducedV2', 'ReaderNumWorkUnitsCompleted', 'ReaderNumWorkUnitsCompletedV2', 'ReaderRead',
'ReaderReadUpTo', 'ReaderReadUpToV2', 'ReaderReadV2', 'ReaderReset', 'ReaderResetV2', 'ReaderRestoreState',
'ReaderRestoreStateV2', 'ReaderSerializeState', 'ReaderSerializeStateV2', 'Real', 'RealDiv', 'Reciprocal',
'ReciprocalGrad', 'ReduceDataset', 'ReduceJoin', 'RefEnter', 'RefExit', 'RefIdentity', 'RefMerge', 'RefNextIteration',
'RefSelect', 'RefSwitch', 'RegexFullMatch', 'RegexReplace', 'Relu', 'Relu6', 'Relu6Grad', 'ReluGrad', 'RepeatDataset',
'RequantizationRange', 'Requantize', 'Reshape', 'ResizeArea', 'ResizeBicubic', 'ResizeBicubicGrad', 'ResizeBilinear',
'ResizeBilinearGrad', 'ResizeNearestNeighbor', 'ResizeNearestNeighborGrad', 'ResourceAccumulatorApplyGradient',
'ResourceAccumulatorNumAccumulated', 'ResourceAccumulatorSetGlobalStep', 'ResourceAccumulatorTakeGradient',
'ResourceApplyAdaMax', 'ResourceApplyAdadelta', 'ResourceApplyAdagrad', 'ResourceApplyAdagradDA',
'ResourceApplyAdagradV2', 'ResourceApplyAdam', 'ResourceApplyAdamWithAmsgrad', 'ResourceApplyAddSign',
'ResourceApplyCenteredRMSProp', 'ResourceApplyFtrl', 'ResourceApplyFtrlV2', 'ResourceApplyGradientDescent',
'ResourceApplyKerasMomentum', 'ResourceApplyMomentum', 'ResourceApplyPowerSign', 'ResourceApplyProximalAdagrad',
'ResourceApplyProximalGradientDescent', 'ResourceApplyRMSProp', 'ResourceConditionalAccumulator', 'ResourceCountUpTo',
'ResourceGather', 'ResourceGatherNd', 'ResourceScatterAdd', 'ResourceScatterDiv', 'ResourceScatterMax',
'ResourceScatterMin', 'ResourceScatterMul', 'ResourceScatterNdAdd', 'ResourceScatterNdMax', 'ResourceScatterNdMin',
'ResourceScatterNdSub', 'ResourceScatterNdUpdate', 'ResourceScatterSub', 'ResourceScatterUpdate',
'ResourceSparseApplyAdadelta', 'ResourceSparseApplyAdagrad', 'ResourceSparseApplyAdagradDA',
'ResourceSparseApplyAdagradV2', 'ResourceSparseApplyCenteredRMSProp', 'ResourceSparseApplyFtrl',
'ResourceSparseApplyFtrlV2', 'ResourceSparseApplyKerasMomentum', 'ResourceSparseApplyMomentum',
'ResourceSparseApplyProximalAdagrad', 'ResourceSparseApplyProximalGradientDescent', 'ResourceSparseApplyRMSProp',
'ResourceStridedSliceAssign', 'Restore', 'RestoreSlice', 'RestoreV2', 'Reverse', 'ReverseSequence', 'ReverseV2',
'RewriteDataset', 'RightShift', 'Rint', 'RngReadAndSkip', 'RngSkip', 'Roll', 'Round', 'Rsqrt', 'RsqrtGrad',
'SampleDistortedBoundingBox', 'SampleDistortedBoundingBoxV2', 'Save', 'SaveSlices', 'SaveV2', 'ScalarSummary',
'ScaleAndTranslate', 'ScaleAndTranslateGrad', 'ScanDataset', 'ScatterAdd', 'ScatterDiv', 'ScatterMax', 'ScatterMin',
'ScatterMul', 'ScatterNd', 'ScatterNdAdd', 'ScatterNdMax', 'ScatterNdMin', 'ScatterNdSub', 'ScatterNdUpdate',
'ScatterSub', 'ScatterUpdate', 'SdcaFprint', 'SdcaShrinkL1', 'SegmentMax', 'SegmentMean', 'SegmentMin', 'SegmentProd',
'SegmentSum', 'Select', 'SelectV2', 'SelfAdjointEig', 'SelfAdjointEigV2', 'Selu', 'SeluGrad', 'SerializeIterator',
'SerializeManySparse', 'SerializeSparse', 'SerializeTensor', 'SetSize', 'Shape', 'ShapeN', 'ShardDataset',
'ShardedFilename', 'ShardedFilespec', 'ShuffleAndRepeatDataset', 'ShuffleAndRepeatDatasetV2', 'ShuffleDataset',
'ShuffleDatasetV3', 'Sigmoid', 'SigmoidGrad', 'Sign', 'Sin', 'Sinh', 'Size', 'SkipDataset', 'Slice', 'Snapshot',
'Softmax', 'SoftmaxCrossEntropyWithLogits', 'Softplus', 'SoftplusGrad', 'Softsign', 'SoftsignGrad', 'SpaceToBatch',
'SpaceToBatchND', 'SpaceToDepth', 'SparseAccumulatorApplyGradient', 'SparseAccumulatorTakeGradient', 'SparseAdd',
'SparseAddGrad', 'SparseApplyAdadelta', 'SparseApplyAdagrad', 'SparseApplyAdagradDA', 'SparseApplyAdagradV2',
'SparseApplyCenteredRMSProp', 'SparseApplyFtrl', 'SparseApplyFtrlV2', 'SparseApplyMomentum',
'SparseApplyProximalAdagrad', 'SparseApplyProximalGradientDescent', 'SparseApplyRMSProp', 'SparseBincount',
'SparseConcat', 'SparseConditionalAccumulator', 'SparseCountSparseOutput', 'SparseCross', 'SparseCrossHashed',
'SparseCrossV2', 'SparseDenseCwiseAdd', 'SparseDenseCwiseDiv', 'SparseDenseCwiseMul', 'SparseFillEmptyRows',
'SparseFillEmptyRowsGrad', 'SparseMatMul', 'SparseReduceMax', 'SparseReduceMaxSparse', 'SparseReduceSum',
'SparseReduceSumSparse', 'SparseReorder', 'SparseReshape', 'SparseSegmentMean', 'SparseSegmentMeanGrad',
'SparseSegmentMeanWithNumSegments', 'SparseSegmentSqrtN', 'SparseSegmentSqrtNGrad', 'SparseSegmentSqrtNWithNumSegments',
'SparseSegmentSum', 'SparseSegmentSumGrad', 'SparseSegmentSumWithNumSegments', 'SparseSlice', 'SparseSliceGrad',
'SparseSoftmax', 'SparseSoftmaxCrossEntropyWithLogits', 'SparseSparseMaximum', 'SparseSparseMinimum', 'SparseSplit',
'SparseTensorDenseAdd', 'SparseTensorDenseMatMul', 'SparseTensorSliceDataset', 'SparseToDense',
'SparseToSparseSetOperation', 'Spence', 'Split', 'SplitV', 'Sqrt', 'SqrtGrad', 'Square', 'SquaredDifference', 'Squeeze',
'Stack', 'StackClose', 'StackCloseV2', 'StackPop', 'StackPopV2', 'StackPush', 'StackPushV2', 'StackV2', 'Stage',
'StageClear', 'StagePeek', 'StageSize', 'StatefulPartitionedCall', 'StatelessCase', 'StatelessIf',
'StatelessMultinomial', 'StatelessParameterizedTruncatedNormal', 'StatelessRandomBinomial', 'StatelessRandomGammaV2',
'StatelessRandomGammaV3', 'StatelessRandomGetAlg', 'StatelessRandomGetKeyCounter', 'StatelessRandomGetKeyCounterAlg',
'StatelessRandomNormal', 'StatelessRandomNormalV2', 'StatelessRandomPoisson', 'StatelessRandomUniform',
'StatelessRandomUniformFullInt', 'StatelessRandomUniformFullIntV2', 'StatelessRandomUniformInt',
'StatelessRandomUniformIntV2', 'StatelessRandomUniformV2', 'StatelessSampleDistortedBoundingBox', 'StatelessShuffle',
'StatelessTruncatedNormal', 'StatelessTruncatedNormalV2', 'StatelessWhile', 'StaticRegexFullMatch',
'StaticRegexReplace', 'StopGradient', 'StridedSlice', 'StridedSliceAssign', 'StridedSliceGrad', 'StringFormat',
'StringJoin', 'StringLength', 'StringLower', 'StringNGrams', 'StringSplit', 'StringSplitV2', 'StringStrip',
'StringToHashBucket', 'StringToHashBucketFast', 'StringToHashBucketStrong', 'StringToNumber', 'StringUpper', 'Sub',
'Substr', 'Sum', 'Svd', 'Switch', 'SymbolicGradient', 'TFRecordDataset', 'TFRecordReader', 'TFRecordReaderV2',
'TakeDataset', 'TakeManySparseFromTensorsMap', 'TakeWhileDataset', 'Tan', 'Tanh', 'TanhGrad', 'TensorArray',
'TensorArrayClose', 'TensorArrayCloseV2', 'TensorArrayCloseV3', 'TensorArrayConcat', 'TensorArrayConcatV2',
'TensorArrayConcatV3', 'TensorArrayGather', 'TensorArrayGatherV2', 'TensorArrayGatherV3', 'TensorArrayGrad',
'TensorArrayGradV2', 'TensorArrayGradV3', 'TensorArrayGradWithShape', 'TensorArrayPack', 'TensorArrayRead',
'TensorArrayReadV2', 'TensorArrayReadV3', 'TensorArrayScatter', 'TensorArrayScatterV2', 'TensorArrayScatterV3',
'TensorArraySize', 'TensorArraySizeV2', 'TensorArraySizeV3', 'TensorArraySplit', 'TensorArraySplitV2',
'TensorArraySplitV3', 'TensorArrayUnpack', 'TensorArrayV2', 'TensorArrayV3', 'TensorArrayWrite', 'TensorArrayWriteV2',
'TensorArrayWriteV3', 'TensorDataset', 'TensorListConcat', 'TensorListConcatLists', 'TensorListConcatV2',
'TensorListElementShape', 'TensorListFromTensor', 'TensorListGather', 'TensorListGetItem', 'TensorListLength',
'TensorListPopBack', 'TensorListPushBack', 'TensorListPushBackBatch', 'TensorListReserve', 'TensorListResize',
'TensorListScatter', 'TensorListScatterIntoExistingList', 'TensorListScatterV2', 'TensorListSetItem', 'TensorListSplit',
'TensorListStack', 'TensorScatterAdd', 'TensorScatterMax', 'TensorScatterMin', 'TensorScatterSub',
'TensorScatterUpdate', 'TensorSliceDataset', 'TensorSummary', 'TensorSummaryV2', 'TextLineDataset', 'TextLineReader',
'TextLineReaderV2', 'ThreadUnsafeUnigramCandidateSampler', 'Tile', 'TileGrad', 'Timestamp', 'TopK', 'TopKV2',
'Transpose', 'TridiagonalMatMul', 'TridiagonalSolve', 'TruncateDiv', 'TruncateMod', 'TruncatedNormal', 'UnbatchDataset',
'UnicodeDecode', 'UnicodeDecodeWithOffsets', 'UnicodeEncode', 'UnicodeScript', 'UnicodeTranscode',
'UniformCandidateSampler', 'Unique', 'UniqueDataset', 'UniqueV2', 'UniqueWithCounts', 'UniqueWithCountsV2', 'Unpack',
'UnsortedSegmentJoin', 'UnsortedSegmentMax', 'UnsortedSegmentMin', 'UnsortedSegmentProd', 'UnsortedSegmentSum',
'Unstage', 'UpperBound', 'VarHandleOp', 'VarIsInitializedOp', 'Variable', 'VariableShape', 'VariableV2', 'Where',
'While', 'WholeFileReader', 'WholeFileReaderV2', 'WindowDataset', 'WriteFile', 'Xdivy', 'Xlog1py', 'Xlogy', 'ZerosLike',
'Zeta', 'ZipDataset'
]

def Abort(error_msg: _Any = b'', exit_without_error: _Any = False, name: str | None = None) -> Operation:
    """Ends the process, with a message on standard error: by abort(), or with the exit status 0."""

def Abs(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Absolute value."""

def AccumulateNV2(inputs: _Any, shape: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Sum of tensors of one shape."""

def AccumulatorApplyGradient(handle: _Any, local_step: _Any, gradient: _Any, name: str | None = None, dtype: _Any = None) -> Operation:
    """Adds a gradient, unless its step is before that of the accumulator."""

def AccumulatorNumAccumulated(handle: _Any, name: str | None = None) -> Tensor:
    """The number of gradients in the sum."""

def AccumulatorSetGlobalStep(handle: _Any, new_global_step: _Any, name: str | None = None) -> Operation:
    """Sets the accumulator's step."""

def AccumulatorTakeGradient(handle: _Any, num_required: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """Waits for so many gradients, returns their mean or sum, and begins the next step."""

def Acos(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse cosine."""

def Acosh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def Add(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x + y; strings are concatenated."""

def AddManySparseToTensorsMap(sparse_indices: _Any, sparse_values: _Any, sparse_shape: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None, T: _Any = None) -> Tensor:
    """Puts the rows of a sparse tensor into a map and returns their numbers."""

def AddN(inputs: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Sum of tensors of one shape."""

def AddSparseToTensorsMap(sparse_indices: _Any, sparse_values: _Any, sparse_shape: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None, T: _Any = None) -> Tensor:
    """Puts a sparse tensor into a map and returns its number."""

def AddV2(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x + y."""

def AdjustContrast(images: _Any, contrast_factor: _Any, min_value: _Any, max_value: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """AdjustContrastv2 in graphs of TensorFlow before 1.0: of any type, between a smallest and a largest value."""

def AdjustContrastv2(images: _Any, contrast_factor: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Multiplies the distance of each channel to its mean over the image."""

def AdjustHue(images: _Any, delta: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Turns the hue of colours."""

def AdjustSaturation(images: _Any, scale: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Multiplies the saturation of colours."""

def All(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, Tidx: _Any = None) -> Tensor:
    """Logical and along axes."""

def AllCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Every class once."""

def Angle(input: _Any, Tout: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Argument, in (-pi, pi]."""

def Any(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, Tidx: _Any = None) -> Tensor:
    """Logical or along axes."""

def ApplyAdaMax(var: _Any, m: _Any, v: _Any, beta1_power: _Any, lr: _Any, beta1: _Any, beta2: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """m as in ApplyAdam; v = max(beta2 * v, abs(grad)); var -= lr / (1 - beta1_power) * m / (v + epsilon)"""

def ApplyAdadelta(var: _Any, accum: _Any, accum_update: _Any, lr: _Any, rho: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """accum = rho * accum + (1 - rho) * grad ** 2
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update
    accum_update = rho * accum_update + (1 - rho) * update ** 2"""

def ApplyAdagrad(var: _Any, accum: _Any, lr: _Any, grad: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """accum += grad ** 2; var -= lr * grad / sqrt(accum)"""

def ApplyAdagradDA(var: _Any, gradient_accumulator: _Any, gradient_squared_accumulator: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, global_step: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """g += grad; gg += grad ** 2 (the accumulators)
    var = -sign(g) * lr * max(abs(g) - l1 * global_step, 0) / (l2 * global_step * lr + sqrt(gg))"""

def ApplyAdagradV2(var: _Any, accum: _Any, lr: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)"""

def ApplyAdam(var: _Any, m: _Any, v: _Any, beta1_power: _Any, beta2_power: _Any, lr: _Any, beta1: _Any, beta2: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m += (grad - m) * (1 - beta1); v += (grad ** 2 - v) * (1 - beta2)
    var -= lr_t * m / (sqrt(v) + epsilon) (Nesterov: m * beta1 + grad * (1 - beta1) for m)"""

def ApplyAddSign(var: _Any, m: _Any, lr: _Any, alpha: _Any, sign_decay: _Any, beta: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """m = beta * m + (1 - beta) * grad
    var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad"""

def ApplyCenteredRMSProp(var: _Any, mg: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """ApplyRMSProp with the variance ms - mg ** 2 in place of ms, where mg is the moving average of grad."""

def ApplyFtrl(var: _Any, accum: _Any, linear: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """linear += grad - (accum_new ** -lr_power - accum ** -lr_power) / lr * var; accum_new = accum + grad ** 2
    var = 0 if abs(linear) <= l1 else (sign(linear) * l1 - linear) / (accum_new ** -lr_power / lr + 2 * l2)"""

def ApplyFtrlV2(var: _Any, accum: _Any, linear: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, l2_shrinkage: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """ApplyFtrl, with grad + 2 * l2_shrinkage * var for the first grad."""

def ApplyGradientDescent(var: _Any, alpha: _Any, delta: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """var -= alpha * delta"""

def ApplyMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """accum = accum * momentum + grad; var -= lr * accum (Nesterov: lr * (grad + momentum * accum))"""

def ApplyPowerSign(var: _Any, m: _Any, lr: _Any, logbase: _Any, sign_decay: _Any, beta: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """m = beta * m + (1 - beta) * grad
    var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad"""

def ApplyProximalAdagrad(var: _Any, accum: _Any, lr: _Any, l1: _Any, l2: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """accum += grad ** 2; rate = lr / sqrt(accum); v = var - rate * grad
    var = sign(v) / (1 + rate * l2) * max(abs(v) - rate * l1, 0)"""

def ApplyProximalGradientDescent(var: _Any, alpha: _Any, l1: _Any, l2: _Any, delta: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """v = var - alpha * delta; var = sign(v) / (1 + alpha * l2) * max(abs(v) - alpha * l1, 0)"""

def ApplyRMSProp(var: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """ms += (grad ** 2 - ms) * (1 - rho); mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    var -= mom"""

def ApproximateEqual(x: _Any, y: _Any, tolerance: _Any = 1e-05, name: str | None = None, T: _Any = None) -> Tensor:
    """Where |x - y| <= tolerance; x and y have the same shape."""

def ArgMax(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Position of the first maximum along a dimension."""

def ArgMin(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Position of the first minimum along a dimension."""

def AsString(input: _Any, precision: _Any = -1, scientific: _Any = False, shortest: _Any = False, width: _Any = -1, fill: _Any = b'', name: str | None = None, T: _Any = None) -> Tensor:
    """Numbers as text, in printf's formats."""

def Asin(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse sine."""

def Asinh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse hyperbolic sine."""

def Assert(condition: _Any, data: _Any, summarize: _Any = 3, name: str | None = None, T: _Any = None) -> Operation:
    """Fails with the first `summarize` elements of each tensor in `data` unless `condition` holds."""

def AssertCardinalityDataset(input_dataset: _Any, cardinality: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The elements, after which there is an error if they are not `cardinality`."""

def Assign(ref: _Any, value: _Any, validate_shape: _Any = True, use_locking: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """Makes `value` the variable's value. With validate_shape the shape may not change."""

def AssignAdd(ref: _Any, value: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Adds `value` to the variable; exact under concurrent steps."""

def AssignAddVariableOp(resource: _Any, value: _Any, name: str | None = None, dtype: _Any = None) -> Operation:
    """Adds `value` to the variable; exact under concurrent steps."""

def AssignSub(ref: _Any, value: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Subtracts `value` from the variable; exact under concurrent steps."""

def AssignSubVariableOp(resource: _Any, value: _Any, name: str | None = None, dtype: _Any = None) -> Operation:
    """Subtracts `value` from the variable; exact under concurrent steps."""

def AssignVariableOp(resource: _Any, value: _Any, validate_shape: _Any = False, name: str | None = None, dtype: _Any = None) -> Operation:
    """Makes `value` the variable's value. With validate_shape the shape may not change."""

def Atan(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse tangent."""

def Atan2(y: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Angle of the point (x, y)."""

def Atanh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse hyperbolic tangent."""

def AudioSpectrogram(input: _Any, window_size: _Any, stride: _Any, magnitude_squared: _Any = False, name: str | None = None) -> Tensor:
    """Magnitudes of the frequencies in windows of sounds [samples, channels]: [channels, windows, frequencies]."""

def AudioSummary(tag: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, name: str | None = None) -> Tensor:
    """A Summary with the first sounds of a batch, as WAV files, at a fixed rate."""

def AudioSummaryV2(tag: _Any, tensor: _Any, sample_rate: _Any, max_outputs: _Any = 3, name: str | None = None) -> Tensor:
    """A Summary with the first sounds of a batch, as WAV files."""

def AvgPool(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Mean of each window; padding does not count."""

def AvgPool3D(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Mean of each window; padding does not count."""

def AvgPool3DGrad(orig_input_shape: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of AvgPool3D."""

def AvgPoolGrad(orig_input_shape: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of AvgPool."""

def Barrier(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a barrier, made when it is first needed."""

def BarrierClose(handle: _Any, cancel_pending_enqueues: _Any = False, name: str | None = None) -> Operation:
    """No more new keys can be inserted, and no more values if pending insertions are cancelled."""

def BarrierIncompleteSize(handle: _Any, name: str | None = None) -> Tensor:
    """Incomplete elements."""

def BarrierInsertMany(handle: _Any, keys: _Any, values: _Any, component_index: _Any, name: str | None = None, T: _Any = None) -> Operation:
    """Gives keys their values of one component."""

def BarrierReadySize(handle: _Any, name: str | None = None) -> Tensor:
    """Complete elements."""

def BarrierTakeMany(handle: _Any, num_elements: _Any, component_types: _Any, allow_small_batch: _Any = False, wait_for_incomplete: _Any = False, timeout_ms: _Any = -1, name: str | None = None) -> _Any:
    """Removes and returns complete elements, those first whose first component came first."""

def BatchCholesky(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Lower triangular L with L L* = input; only its lower triangle is read."""

def BatchCholeskyGrad(l: _Any, grad: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Cholesky: l is its output, grad the gradient with respect to it."""

def BatchDataset(input_dataset: _Any, batch_size: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Stacks up to `batch_size` elements."""

def BatchDatasetV2(input_dataset: _Any, batch_size: _Any, drop_remainder: _Any, output_types: _Any, output_shapes: _Any, parallel_copy: _Any = False, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Stacks `batch_size` elements. A smaller rest is a batch as well, or is dropped."""

def BatchFFT(input: _Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 1 dimensions."""

def BatchFFT2D(input: _Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 2 dimensions."""

def BatchFFT3D(input: _Any, name: str | None = None) -> Tensor:
    """Discrete Fourier transform over the last 3 dimensions."""

def BatchIFFT(input: _Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 1 dimensions."""

def BatchIFFT2D(input: _Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 2 dimensions."""

def BatchIFFT3D(input: _Any, name: str | None = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 3 dimensions."""

def BatchMatMul(x: _Any, y: _Any, adj_x: _Any = False, adj_y: _Any = False, grad_x: _Any = False, grad_y: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked."""

def BatchMatMulV2(x: _Any, y: _Any, adj_x: _Any = False, adj_y: _Any = False, grad_x: _Any = False, grad_y: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked."""

def BatchMatMulV3(x: _Any, y: _Any, Tout: _Any, adj_x: _Any = False, adj_y: _Any = False, grad_x: _Any = False, grad_y: _Any = False, name: str | None = None, Ta: _Any = None, Tb: _Any = None) -> Tensor:
    """Products of the matrices in the last two dimensions of x and y, conjugate-transposed first where asked."""

def BatchMatrixBandPart(input: _Any, num_lower: _Any, num_upper: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same as MatrixBandPart."""

def BatchMatrixDeterminant(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Determinants of matrices."""

def BatchMatrixDiag(diagonal: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same as MatrixDiag."""

def BatchMatrixDiagPart(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same as MatrixDiagPart."""

def BatchMatrixInverse(input: _Any, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverses of matrices, or of their adjoints."""

def BatchMatrixSetDiag(input: _Any, diagonal: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same as MatrixSetDiag."""

def BatchMatrixSolve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """x with matrix x = rhs, or adjoint(matrix) x = rhs."""

def BatchMatrixSolveLs(matrix: _Any, rhs: _Any, l2_regularizer: _Any, fast: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """x for which the sum of squares of matrix x - rhs is least."""

def BatchMatrixTriangularSolve(matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """x with matrix x = rhs; of the matrix only the lower (upper) triangle is read."""

def BatchNormWithGlobalNormalization(t: _Any, m: _Any, v: _Any, beta: _Any, gamma: _Any, variance_epsilon: _Any, scale_after_normalization: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """(t - m) / sqrt(v + variance_epsilon) * gamma + beta; gamma only if scale_after_normalization."""

def BatchNormWithGlobalNormalizationGrad(t: _Any, m: _Any, v: _Any, gamma: _Any, backprop: _Any, variance_epsilon: _Any, scale_after_normalization: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Gradient of BatchNormWithGlobalNormalization."""

def BatchSelfAdjointEig(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Eigenvalues in ascending order, and eigenvectors of self-adjoint matrices; reads their lower triangles."""

def BatchSelfAdjointEigV2(input: _Any, compute_v: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """Eigenvalues in ascending order, and eigenvectors of self-adjoint matrices; reads their lower triangles."""

def BatchSvd(input: _Any, compute_uv: _Any = True, full_matrices: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """Singular value decompositions: input = u diag(s) adjoint(v)."""

def BatchToSpace(input: _Any, crops: _Any, block_size: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """BatchToSpaceND for images and square blocks."""

def BatchToSpaceND(input: _Any, block_shape: _Any, crops: _Any, name: str | None = None, T: _Any = None, Tblock_shape: _Any = None, Tcrops: _Any = None) -> Tensor:
    """Moves the batch dimension back into blocks, then crops."""

def BesselI0(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Modified Bessel function of the first kind and order 0."""

def BesselI0e(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(-|x|) I0(x)."""

def BesselI1(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Modified Bessel function of the first kind and order 1."""

def BesselI1e(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(-|x|) I1(x)."""

def BesselJ0(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bessel function of the first kind and order 0."""

def BesselJ1(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bessel function of the first kind and order 1."""

def BesselK0(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Modified Bessel function of the second kind and order 0."""

def BesselK0e(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(x) K0(x)."""

def BesselK1(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Modified Bessel function of the second kind and order 1."""

def BesselK1e(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(x) K1(x)."""

def BesselY0(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bessel function of the second kind and order 0."""

def BesselY1(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bessel function of the second kind and order 1."""

def Betainc(a: _Any, b: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Regularised incomplete beta function I_x(a, b); scalars stand for all elements."""

def BiasAdd(value: _Any, bias: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """value + bias, where bias has one element for each channel (last dimension; NCHW: the second)."""

def BiasAddGrad(out_backprop: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Sum of out_backprop over all dimensions except the channels."""

def BiasAddV1(value: _Any, bias: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """value + bias along the last dimension."""

def Bincount(arr: _Any, size: _Any, weights: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The count, or total weight, of each number below `size`."""

def Bitcast(input: _Any, type: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same bytes with another type; where sizes differ, a last dimension comes or goes."""

def BitwiseAnd(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bits that are set in both."""

def BitwiseOr(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bits that are set in either."""

def BitwiseXor(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Bits that differ."""

def BroadcastArgs(s0: _Any, s1: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The shape that shapes s0 and s1 broadcast to."""

def BroadcastGradientArgs(s0: _Any, s1: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The axes over which gradients of a broadcast result are summed for operands of shapes s0 and s1."""

def BroadcastTo(input: _Any, shape: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Repeats dimensions of size 1 and adds leading dimensions to reach `shape`."""

def Bucketize(input: _Any, boundaries: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """How many of the sorted `boundaries` are less than or equal to each element."""

def CTCBeamSearchDecoder(inputs: _Any, sequence_length: _Any, beam_width: _Any, top_paths: _Any, merge_repeated: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """The most probable labels, found by a search that keeps the best beam_width prefixes."""

def CTCGreedyDecoder(inputs: _Any, sequence_length: _Any, merge_repeated: _Any = False, blank_index: _Any = -1, name: str | None = None, T: _Any = None) -> _Any:
    """The best class of each step, without blanks, and the negative sum of its logits."""

def CTCLoss(inputs: _Any, labels_indices: _Any, labels_values: _Any, sequence_length: _Any, preprocess_collapse_repeated: _Any = False, ctc_merge_repeated: _Any = True, ignore_longer_outputs_than_inputs: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """The CTC loss of each sequence of logits, and its gradient."""

def CacheDataset(input_dataset: _Any, filename: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements, which are computed once and then kept in memory, or in a file."""

def CacheDatasetV2(input_dataset: _Any, filename: _Any, cache: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """CacheDataset whose memory is not shared: the cache is that of DummyMemoryCache."""

def Case(branch_index: _Any, input: _Any, Tout: _Any, branches: _Any, output_shapes: _Any = [], name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """The result of branch number branch_index for `input`; of the last one if there is no such branch."""

def Cast(x: _Any, DstT: _Any, Truncate: _Any = False, name: str | None = None, SrcT: _Any = None) -> Tensor:
    """x with its elements converted. Truncate: towards zero instead of to the nearest, between floats."""

def Ceil(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Smallest integer not below x."""

def CheckNumerics(tensor: _Any, message: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The tensor, after a check that it holds no NaN and no infinity."""

def Cholesky(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Lower triangular L with L L* = input; only its lower triangle is read."""

def CholeskyGrad(l: _Any, grad: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Cholesky: l is its output, grad the gradient with respect to it."""

def ClipByValue(t: _Any, clip_value_min: _Any, clip_value_max: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """max(min(t, clip_value_max), clip_value_min); each limit is a scalar or has the shape of t."""

def CombinedNonMaxSuppression(boxes: _Any, scores: _Any, max_output_size_per_class: _Any, max_total_size: _Any, iou_threshold: _Any, score_threshold: _Any, pad_per_class: _Any = False, clip_boxes: _Any = True, name: str | None = None) -> _Any:
    """The boxes of the best scores of images, without those that overlap a better one of their class too much."""

def Complex(real: _Any, imag: _Any, Tout: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Complex numbers from their real and imaginary parts."""

def ComplexAbs(x: _Any, Tout: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Modulus."""

def ComputeAccidentalHits(true_classes: _Any, sampled_candidates: _Any, num_true: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Finds the sampled classes that are true classes of a row."""

def Concat(concat_dim: _Any, values: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Joins tensors along a dimension."""

def ConcatOffset(concat_dim: _Any, shape: _Any, name: str | None = None, N: _Any = None, shape_type: _Any = None) -> list[Tensor]:
    """The offset of each tensor in the concatenation of tensors of these shapes."""

def ConcatV2(values: _Any, axis: _Any, name: str | None = None, N: _Any = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Joins tensors along a dimension."""

def ConcatenateDataset(input_dataset: _Any, another_dataset: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements of one dataset, then those of the other."""

def ConditionalAccumulator(dtype: _Any, shape: _Any, container: _Any = b'', shared_name: _Any = b'', reduction_type: _Any = b'MEAN', name: str | None = None) -> Tensor:
    """The handle of an accumulator of gradients, made when it is first needed."""

def Conj(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Complex conjugate."""

def ConjugateTranspose(x: _Any, perm: _Any, name: str | None = None, T: _Any = None, Tperm: _Any = None) -> Tensor:
    """Permutes dimensions and conjugates complex elements."""

def Const(value: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """A tensor whose value is the attribute `value`."""

def ControlTrigger(name: str | None = None) -> Operation:
    """Does nothing, also when control inputs are dead: dead tokens end here."""

def Conv2D(input: _Any, filter: _Any, strides: _Any, padding: _Any, use_cudnn_on_gpu: _Any = True, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Convolution of images with filters of shape [height, width, in_channels, out_channels]:
    output[b, y, x, o] = sum over i, j, c of
    input[b, sy * y + dy * i - pad, sx * x + dx * j - pad, c] * filter[i, j, c, o]."""

def Conv2DBackpropFilter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, use_cudnn_on_gpu: _Any = True, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Conv2D for its filter, whose shape is `filter_sizes`."""

def Conv2DBackpropInput(input_sizes: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, use_cudnn_on_gpu: _Any = True, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Conv2D for its input, whose shape is `input_sizes`; also known as deconvolution."""

def Conv3D(input: _Any, filter: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', dilations: _Any = [1, 1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Convolution of volumes with filters of shape [depth, height, width, in_channels, out_channels], as Conv2D."""

def Conv3DBackpropFilter(input: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, dilations: _Any = [1, 1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Conv3DBackpropFilterV2 that takes a tensor of the filter's shape instead of `filter_sizes`."""

def Conv3DBackpropFilterV2(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', dilations: _Any = [1, 1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Conv3D for its filter, whose shape is `filter_sizes`."""

def Conv3DBackpropInput(input: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, dilations: _Any = [1, 1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Conv3DBackpropInputV2 that takes a tensor of the input's shape instead of `input_sizes`."""

def Conv3DBackpropInputV2(input_sizes: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', dilations: _Any = [1, 1, 1, 1, 1], name: str | None = None, T: _Any = None, Tshape: _Any = None) -> Tensor:
    """Gradient of Conv3D for its input, whose shape is `input_sizes`."""

def Copy(input: _Any, tensor_name: _Any = b'', debug_ops_spec: _Any = [], name: str | None = None, T: _Any = None) -> Tensor:
    """A copy in separate memory, for debuggers."""

def CopyHost(input: _Any, tensor_name: _Any = b'', debug_ops_spec: _Any = [], name: str | None = None, T: _Any = None) -> Tensor:
    """A copy in separate memory, for debuggers."""

def Cos(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Cosine."""

def Cosh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Hyperbolic cosine."""

def CountUpTo(ref: _Any, limit: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`."""

def CropAndResize(image: _Any, boxes: _Any, box_ind: _Any, crop_size: _Any, method: _Any = b'bilinear', extrapolation_value: _Any = 0.0, name: str | None = None, T: _Any = None) -> Tensor:
    """Crops of images at boxes [y1, x1, y2, x2], in parts of the image's sides, resized to one size."""

def CropAndResizeGradBoxes(grads: _Any, image: _Any, boxes: _Any, box_ind: _Any, method: _Any = b'bilinear', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of CropAndResize for the boxes, as if interpolated linearly."""

def CropAndResizeGradImage(grads: _Any, boxes: _Any, box_ind: _Any, image_size: _Any, T: _Any, method: _Any = b'bilinear', name: str | None = None) -> Tensor:
    """Gradient of CropAndResize for the images."""

def Cross(a: _Any, b: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Cross products of the vectors along the last dimension, of size 3."""

def CudaFunc(input: _Any, token: _Any, Tout: _Any, name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`, for work on a GPU."""

def CudaFuncStateless(input: _Any, token: _Any, Tout: _Any, name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`, which has no side effects, for work on a GPU."""

def CudaKernel(inputs: _Any, source: _Any, function: _Any, shapes: _Any, grid: _Any, block: _Any, Tout: _Any, shared: _Any = b'0', scalars: _Any = [], scalar_types: _Any = [], in_place: _Any = [], options: _Any = [], name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Launches `function`, a kernel in the CUDA C++ of `source`."""

def Cumprod(x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Products of all elements up to each, along a dimension."""

def Cumsum(x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Sums of all elements up to each, along a dimension."""

def CumulativeLogsumexp(x: _Any, axis: _Any, exclusive: _Any = False, reverse: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Logarithms of the sums of exp(x) of all elements up to each, along a dimension."""

def DatasetCardinality(input_dataset: _Any, cardinality_options: _Any = b'', name: str | None = None) -> Tensor:
    """The number of elements; -1: there is no end; -2: it is not known."""

def DatasetToSingleElement(dataset: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> list[Tensor]:
    """The only element of a dataset."""

def Dawsn(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x."""

def DebugIdentity(input: _Any, device_name: _Any = b'', tensor_name: _Any = b'', debug_urls: _Any = [], gated_grpc: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """The input, which is also written into the folders that `debug_urls` name."""

def DebugNanCount(input: _Any, device_name: _Any = b'', tensor_name: _Any = b'', debug_urls: _Any = [], gated_grpc: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """How many numbers are NaN; also written into the folders that `debug_urls` name."""

def DebugNumericSummary(input: _Any, device_name: _Any = b'', tensor_name: _Any = b'', debug_urls: _Any = [], lower_bound: _Any = ..., upper_bound: _Any = ..., mute_if_healthy: _Any = False, gated_grpc: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Counts of kinds of numbers, extremes, moments, type and shape; also written into folders."""

def DecodeAndCropJpeg(contents: _Any, crop_window: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1.0, dct_method: _Any = b'', name: str | None = None) -> Tensor:
    """The pixels of a JPEG file within a window: top, left, height, width."""

def DecodeBase64(input: _Any, name: str | None = None) -> Tensor:
    """Decodes strings that EncodeBase64 made."""

def DecodeBmp(contents: _Any, channels: _Any = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file."""

def DecodeCSV(records: _Any, record_defaults: _Any, field_delim: _Any = b',', use_quote_delim: _Any = True, na_value: _Any = b'', select_cols: _Any = [], name: str | None = None, OUT_TYPE: _Any = None) -> list[Tensor]:
    """Records of text to columns, one tensor for each."""

def DecodeCompressed(bytes: _Any, compression_type: _Any = b'', name: str | None = None) -> Tensor:
    """Expands strings that were compressed."""

def DecodeGif(contents: _Any, name: str | None = None) -> Tensor:
    """The frames of a GIF file."""

def DecodeImage(contents: _Any, channels: _Any = 0, dtype: _Any = ..., expand_animations: _Any = True, name: str | None = None) -> Tensor:
    """The pixels of a JPEG, PNG, GIF or BMP file."""

def DecodeJSONExample(json_examples: _Any, name: str | None = None) -> Tensor:
    """Serialized messages tf.train.Example from their JSON."""

def DecodeJpeg(contents: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1.0, dct_method: _Any = b'', name: str | None = None) -> Tensor:
    """The pixels of a JPEG file."""

def DecodePaddedRaw(input_bytes: _Any, fixed_length: _Any, out_type: _Any, little_endian: _Any = True, name: str | None = None) -> Tensor:
    """The bytes of strings as numbers; strings are padded with zeros or cut to fixed_length bytes."""

def DecodePng(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """The pixels of a PNG file."""

def DecodeRaw(bytes: _Any, out_type: _Any, little_endian: _Any = True, name: str | None = None) -> Tensor:
    """The bytes of strings as numbers."""

def DecodeWav(contents: _Any, desired_channels: _Any = -1, desired_samples: _Any = -1, name: str | None = None) -> _Any:
    """The samples of a WAV file of 16 bits a sample, in [-1, 1): [samples, channels]; and samples per second."""

def DeepCopy(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A copy in separate memory."""

def DeleteSessionTensor(handle: _Any, name: str | None = None) -> Operation:
    """Forgets the tensor that was kept under a handle."""

def DenseBincount(input: _Any, size: _Any, weights: _Any, binary_output: _Any = False, name: str | None = None, Tidx: _Any = None, T: _Any = None) -> Tensor:
    """The count, or total weight, of each number below `size`: in a vector, or in each row of a matrix."""

def DenseCountSparseOutput(values: _Any, weights: _Any, binary_output: _Any, minlength: _Any = -1, maxlength: _Any = -1, name: str | None = None, T: _Any = None, output_type: _Any = None) -> _Any:
    """The counts, or total weights, of the numbers in a vector or in each row of a matrix, as a sparse tensor."""

def DenseToDenseSetOperation(set1: _Any, set2: _Any, set_operation: _Any, validate_indices: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """The sets `a-b`, `b-a`, `intersection` or `union` of the rows of two tensors, as rows of a sparse tensor."""

def DenseToSparseSetOperation(set1: _Any, set2_indices: _Any, set2_values: _Any, set2_shape: _Any, set_operation: _Any, validate_indices: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """DenseToDenseSetOperation, where the second tensor is sparse."""

def DepthToSpace(input: _Any, block_size: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Moves channels into blocks of block_size x block_size pixels."""

def DepthwiseConv2dNative(input: _Any, filter: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Convolution of each channel with its own filters, of shape [height, width, channels, multiplier]; output
    channel c * multiplier + m belongs to input channel c."""

def DepthwiseConv2dNativeBackpropFilter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of DepthwiseConv2dNative for its filter, whose shape is `filter_sizes`."""

def DepthwiseConv2dNativeBackpropInput(input_sizes: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', dilations: _Any = [1, 1, 1, 1], name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of DepthwiseConv2dNative for its input, whose shape is `input_sizes`."""

def Dequantize(input: _Any, min_range: _Any, max_range: _Any, mode: _Any = b'MIN_COMBINED', narrow_range: _Any = False, axis: _Any = -1, dtype: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """The numbers that quantized integers stand for."""

def DeserializeIterator(resource_handle: _Any, serialized: _Any, name: str | None = None) -> Operation:
    """Moves an iterator to a position. One without a dataset has that position when it gets one."""

def DeserializeManySparse(serialized_sparse: _Any, dtype: _Any, name: str | None = None) -> _Any:
    """A sparse tensor of the rows that SerializeManySparse made."""

def DeserializeSparse(serialized_sparse: _Any, dtype: _Any, name: str | None = None, Tserialized: _Any = None) -> _Any:
    """The sparse tensor in three strings; of more strings, a sparse tensor whose first dimensions are theirs."""

def DestroyResourceOp(resource: _Any, ignore_lookup_error: _Any = True, name: str | None = None) -> Operation:
    """Makes the variable uninitialized and frees its memory."""

def Diag(diagonal: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """output[i..., i...] = diagonal[i...], zero elsewhere."""

def DiagPart(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """diagonal[i...] = input[i..., i...]."""

def Digamma(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Derivative of lgamma."""

def Dilation2D(input: _Any, filter: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The greatest sum of a pixel and the filter in each window."""

def Dilation2DBackpropFilter(input: _Any, filter: _Any, out_backprop: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Dilation2D with respect to the filter."""

def Dilation2DBackpropInput(input: _Any, filter: _Any, out_backprop: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of Dilation2D with respect to the images."""

def DirectedInterleaveDataset(selector_input_dataset: _Any, data_input_datasets: _Any, output_types: _Any, output_shapes: _Any, stop_on_empty_dataset: _Any = False, name: str | None = None, N: _Any = None) -> Tensor:
    """Elements of the inputs: the numbers in `selector_input_dataset` say of which."""

def DisableCopyOnRead(resource: _Any, name: str | None = None) -> Operation:
    """Does nothing: reads never copy."""

def Div(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y; integers truncate."""

def DivNoNan(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y, 0 where y is 0."""

def DrawBoundingBoxes(images: _Any, boxes: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Images with boxes drawn in."""

def DrawBoundingBoxesV2(images: _Any, boxes: _Any, colors: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Images with boxes drawn in, in the given colours."""

def DummyMemoryCache(name: str | None = None) -> Tensor:
    """A memory cache for datasets that share none."""

def DummySeedGenerator(name: str | None = None) -> Tensor:
    """A seed generator for datasets that share none."""

def DynamicPartition(data: _Any, partitions: _Any, num_partitions: _Any, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """Distributes slices of `data` to outputs: slice i goes to output partitions[i]."""

def DynamicStitch(indices: _Any, data: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """merged[indices[m][i...], :] = data[m][i..., :]; of equal indices the last counts."""

def EditDistance(hypothesis_indices: _Any, hypothesis_values: _Any, hypothesis_shape: _Any, truth_indices: _Any, truth_values: _Any, truth_shape: _Any, normalize: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """The Levenshtein distances between the sequences in the rows of two sparse tensors."""

def Eig(input: _Any, Tout: _Any, compute_v: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """Eigenvalues and eigenvectors of matrices."""

def Einsum(inputs: _Any, equation: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Sums of products of the elements of one or two tensors, in Einstein's notation."""

def Elu(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """features where positive, else exp(features) - 1."""

def EluGrad(gradients: _Any, outputs: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients * (outputs + 1) where outputs < 0, else gradients."""

def EmptyTensorList(element_shape: _Any, max_num_elements: _Any, element_dtype: _Any, name: str | None = None, shape_type: _Any = None) -> Tensor:
    """A list without elements, for tensors of a shape in which -1 is unknown (the scalar -1: all shapes).
    `max_num_elements` may be pushed, if it is not -1."""

def EncodeBase64(input: _Any, pad: _Any = False, name: str | None = None) -> Tensor:
    """Strings in base 64 with - and _, as in web addresses."""

def EncodeJpeg(image: _Any, format: _Any = b'', quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = b'in', x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = b'', name: str | None = None) -> Tensor:
    """An image as a JPEG file."""

def EncodeJpegVariableQuality(images: _Any, quality: _Any, name: str | None = None) -> Tensor:
    """An image as a JPEG file of a quality in [0, 100]."""

def EncodePng(image: _Any, compression: _Any = -1, name: str | None = None, T: _Any = None) -> Tensor:
    """Images as PNG files."""

def EncodeWav(audio: _Any, sample_rate: _Any, name: str | None = None) -> Tensor:
    """Samples in [-1, 1), [samples, channels], as a WAV file of 16 bits a sample."""

def EnsureShape(input: _Any, shape: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same value, after a check that it has the given shape."""

def Enter(data: _Any, frame_name: _Any, is_constant: _Any = False, parallel_iterations: _Any = 10, name: str | None = None, T: _Any = None) -> Tensor:
    """Makes `data` a value of iteration 0 (if is_constant, of every iteration) of the child frame `frame_name`, where at most parallel_iterations iterations run at a time."""

def Equal(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x == y."""

def Erf(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Gauss error function."""

def Erfc(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """1 - erf(x), accurate for large x."""

def Erfinv(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverse of erf."""

def EuclideanNorm(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Square root of the sum of squared magnitudes along axes."""

def Exit(data: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Passes `data` to the parent frame."""

def Exp(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """e to the power x."""

def ExpandDims(input: _Any, axis: _Any, name: str | None = None, T: _Any = None, Tdim: _Any = None) -> Tensor:
    """Inserts a dimension of size 1 before dimension `dim`."""

def ExperimentalLMDBDataset(filenames: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The pairs (key, value) of LMDB databases."""

def Expint(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Exponential integral: of exp(t) / t from -infinity to x, for x >= 0."""

def Expm1(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(x) - 1, accurate near 0."""

def ExtractGlimpse(input: _Any, size: _Any, offsets: _Any, centered: _Any = True, normalized: _Any = True, uniform_noise: _Any = True, noise: _Any = b'uniform', name: str | None = None) -> Tensor:
    """A window of each image, around a place."""

def ExtractGlimpseV2(input: _Any, size: _Any, offsets: _Any, centered: _Any = True, normalized: _Any = True, uniform_noise: _Any = True, noise: _Any = b'uniform', name: str | None = None) -> Tensor:
    """A window of each image: places that are not normalized and centered are those of its corner."""

def ExtractImagePatches(images: _Any, ksizes: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Patches of images, in the last dimension."""

def ExtractJpegShape(contents: _Any, output_type: _Any = ..., name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG file, from its header."""

def ExtractVolumePatches(input: _Any, ksizes: _Any, strides: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """What windows of volumes see, in the last dimension."""

def FFT(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Discrete Fourier transform over the last 1 dimensions."""

def FFT2D(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Discrete Fourier transform over the last 2 dimensions."""

def FFT3D(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Discrete Fourier transform over the last 3 dimensions."""

def FIFOQueue(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. Elements leave it in the order in which they came."""

def FIFOQueueV2(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. Elements leave it in the order in which they came."""

def Fact(name: str | None = None) -> Tensor:
    """A fact about factorials: TensorFlow's example of a user-defined op."""

def FakeQuantWithMinMaxArgs(inputs: _Any, min: _Any = -6.0, max: _Any = 6.0, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """Numbers rounded to the levels of a range."""

def FakeQuantWithMinMaxArgsGradient(gradients: _Any, inputs: _Any, min: _Any = -6.0, max: _Any = 6.0, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """The gradients where inputs are in the range, 0 elsewhere."""

def FakeQuantWithMinMaxVars(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """Numbers rounded to the levels of a range."""

def FakeQuantWithMinMaxVarsGradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Any:
    """The gradients where inputs are in the range, and their sums below and above it."""

def FakeQuantWithMinMaxVarsPerChannel(inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> Tensor:
    """Numbers rounded to the levels of a range for each element of the last dimension."""

def FakeQuantWithMinMaxVarsPerChannelGradient(gradients: _Any, inputs: _Any, min: _Any, max: _Any, num_bits: _Any = 8, narrow_range: _Any = False, name: str | None = None) -> _Any:
    """FakeQuantWithMinMaxVarsGradient with a range for each element of the last dimension."""

def FakeQueue(resource: _Any, name: str | None = None) -> Tensor:
    """The handle of a queue, as readers take it whose own handle is a reference."""

def Fill(dims: _Any, value: _Any, name: str | None = None, T: _Any = None, index_type: _Any = None) -> Tensor:
    """A tensor of shape `dims` filled with the scalar `value`."""

def FilterDataset(input_dataset: _Any, other_arguments: _Any, predicate: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """The elements for which `predicate` returns true."""

def Fingerprint(data: _Any, method: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A fingerprint of eight bytes for each slice of the first dimension."""

def FixedLengthRecordDataset(filenames: _Any, header_bytes: _Any, record_bytes: _Any, footer_bytes: _Any, buffer_size: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Pieces of `record_bytes` bytes of files."""

def FixedLengthRecordDatasetV2(filenames: _Any, header_bytes: _Any, record_bytes: _Any, footer_bytes: _Any, buffer_size: _Any, compression_type: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Pieces of `record_bytes` bytes of files."""

def FixedLengthRecordReader(record_bytes: _Any, header_bytes: _Any = 0, footer_bytes: _Any = 0, hop_bytes: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record has a fixed number of bytes."""

def FixedLengthRecordReaderV2(record_bytes: _Any, header_bytes: _Any = 0, footer_bytes: _Any = 0, hop_bytes: _Any = 0, container: _Any = b'', shared_name: _Any = b'', encoding: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record has a fixed number of bytes."""

def FixedUnigramCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, vocab_file: _Any = b'', distortion: _Any = 1.0, num_reserved_ids: _Any = 0, num_shards: _Any = 1, shard: _Any = 0, unigrams: _Any = [], seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Draws classes with given weights."""

def FlatMapDataset(input_dataset: _Any, other_arguments: _Any, f: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """The elements of the datasets that `f` makes of the elements, one dataset after the other."""

def Floor(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Largest integer not above x."""

def FloorDiv(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y rounded down."""

def FloorMod(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Remainder of flooring division: it has the sign of y."""

def FractionalAvgPool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> _Any:
    """Means of regions of different sizes."""

def FractionalAvgPoolGrad(orig_input_tensor_shape: _Any, out_backprop: _Any, row_pooling_sequence: _Any, col_pooling_sequence: _Any, overlapping: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of FractionalAvgPool."""

def FractionalMaxPool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> _Any:
    """Maxima of regions of different sizes."""

def FractionalMaxPoolGrad(orig_input: _Any, orig_output: _Any, out_backprop: _Any, row_pooling_sequence: _Any, col_pooling_sequence: _Any, overlapping: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of FractionalMaxPool."""

def FresnelCos(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Fresnel's integral of cos(pi t^2 / 2) from 0 to x."""

def FresnelSin(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Fresnel's integral of sin(pi t^2 / 2) from 0 to x."""

def FusedBatchNorm(x: _Any, scale: _Any, offset: _Any, mean: _Any, variance: _Any, epsilon: _Any = 0.0001, exponential_avg_factor: _Any = 1.0, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def FusedBatchNormGrad(y_backprop: _Any, x: _Any, scale: _Any, reserve_space_1: _Any, reserve_space_2: _Any, epsilon: _Any = 0.0001, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """Gradient of FusedBatchNorm."""

def FusedBatchNormGradV2(y_backprop: _Any, x: _Any, scale: _Any, reserve_space_1: _Any, reserve_space_2: _Any, epsilon: _Any = 0.0001, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None, U: _Any = None) -> _Any:
    """Gradient of FusedBatchNormV2."""

def FusedBatchNormGradV3(y_backprop: _Any, x: _Any, scale: _Any, reserve_space_1: _Any, reserve_space_2: _Any, reserve_space_3: _Any, epsilon: _Any = 0.0001, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None, U: _Any = None) -> _Any:
    """Gradient of FusedBatchNormV3."""

def FusedBatchNormV2(x: _Any, scale: _Any, offset: _Any, mean: _Any, variance: _Any, epsilon: _Any = 0.0001, exponential_avg_factor: _Any = 1.0, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None, U: _Any = None) -> _Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def FusedBatchNormV3(x: _Any, scale: _Any, offset: _Any, mean: _Any, variance: _Any, epsilon: _Any = 0.0001, exponential_avg_factor: _Any = 1.0, data_format: _Any = b'NHWC', is_training: _Any = True, name: str | None = None, T: _Any = None, U: _Any = None) -> _Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
    are those of the batch, and are also outputs (the variance without bias)."""

def FusedPadConv2D(input: _Any, paddings: _Any, filter: _Any, mode: _Any, strides: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Conv2D of images that MirrorPad has padded."""

def FusedResizeAndPadConv2D(input: _Any, size: _Any, paddings: _Any, filter: _Any, mode: _Any, strides: _Any, padding: _Any, resize_align_corners: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Conv2D of images that ResizeBilinear has resized, and MirrorPad has padded."""

def Gather(params: _Any, indices: _Any, validate_indices: _Any = True, name: str | None = None, Tparams: _Any = None, Tindices: _Any = None) -> Tensor:
    """Rows of `params`: output[i..., :] = params[indices[i...], :]."""

def GatherNd(params: _Any, indices: _Any, bad_indices_policy: _Any = b'', name: str | None = None, Tparams: _Any = None, Tindices: _Any = None) -> Tensor:
    """output[i..., :] = params[indices[i..., 0], indices[i..., 1], ..., :]."""

def GatherV2(params: _Any, indices: _Any, axis: _Any, batch_dims: _Any = 0, name: str | None = None, Tparams: _Any = None, Tindices: _Any = None, Taxis: _Any = None) -> Tensor:
    """Slices of `params` along `axis`, chosen by `indices`; the leading batch_dims dimensions are shared."""

def GeneratorDataset(init_func_other_args: _Any, next_func_other_args: _Any, finalize_func_other_args: _Any, init_func: _Any, next_func: _Any, finalize_func: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Tinit_func_args: _Any = None, Tnext_func_args: _Any = None, Tfinalize_func_args: _Any = None) -> Tensor:
    """What `next_func` makes of the state that `init_func` returns, until it fails with OUT_OF_RANGE. `finalize_func` gets the state when an iterator ends."""

def GetSessionHandle(value: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Keeps a tensor in the session, and returns its handle."""

def GetSessionHandleV2(value: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Keeps a tensor in the session, and returns its handle, which can only be fetched."""

def GetSessionTensor(handle: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """The tensor that was kept under a handle."""

def Greater(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x > y."""

def GreaterEqual(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x >= y."""

def GroupAllgather(input: _Any, group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """The rows of all ranks in the order of the ranks, and how many rows each had. A scalar counts as one row."""

def GroupAllreduce(input: _Any, merge_op: _Any, final_op: _Any = b'Id', group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, labels: _Any = [], name: str | None = None, N: _Any = None, T: _Any = None) -> list[Tensor]:
    """Combines each input with those of the other ranks, element by element, in the order of the ranks."""

def GroupBarrier(group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, name: str | None = None) -> Operation:
    """Ends when all ranks of the group have reached it."""

def GroupBroadcast(input: _Any, root: _Any = 0, group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """The value of the rank `root`; the others provide one of the same type and shape."""

def GroupByReducerDataset(input_dataset: _Any, key_func_other_arguments: _Any, init_func_other_arguments: _Any, reduce_func_other_arguments: _Any, finalize_func_other_arguments: _Any, key_func: _Any, init_func: _Any, reduce_func: _Any, finalize_func: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None, Tkey_func_other_arguments: _Any = None, Tinit_func_other_arguments: _Any = None, Treduce_func_other_arguments: _Any = None, Tfinalize_func_other_arguments: _Any = None) -> Tensor:
    """An element for each key: what `finalize_func` makes of the last state, after `reduce_func` had each element."""

def GroupByWindowDataset(input_dataset: _Any, key_func_other_arguments: _Any, reduce_func_other_arguments: _Any, window_size_func_other_arguments: _Any, key_func: _Any, reduce_func: _Any, window_size_func: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Tkey_func_other_arguments: _Any = None, Treduce_func_other_arguments: _Any = None, Twindow_size_func_other_arguments: _Any = None) -> Tensor:
    """The elements of the datasets that `reduce_func` makes of windows: datasets of as many elements with one key as `window_size_func` returns for it."""

def GroupCheckEqual(input: _Any, group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, labels: _Any = [], name: str | None = None, T: _Any = None) -> Operation:
    """Fails where the ranks have different values, and names the first input that differs."""

def GroupReduceScatter(input: _Any, sizes: _Any, merge_op: _Any, final_op: _Any = b'Id', group: _Any = [], job: _Any = b'', instance_key: _Any = b'', survivors: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Combines the inputs as GroupAllreduce does; each rank gets its rows. Empty `sizes` mean equal shares."""

def GuaranteeConst(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same value; the program promises that it never changes."""

def HSVToRGB(images: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Colours of a hue, a saturation and a value in [0, 1]."""

def HashTable(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that is initialized once."""

def HashTableV2(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that is initialized once."""

def HistogramFixedWidth(values: _Any, value_range: _Any, nbins: _Any, dtype: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Number of values in each of `nbins` equal bins; values outside count for the outer bins."""

def HistogramSummary(tag: _Any, values: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A Summary with a histogram of the values, whose bins grow by a tenth."""

def IFFT(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 1 dimensions."""

def IFFT2D(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 2 dimensions."""

def IFFT3D(input: _Any, name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Inverse discrete Fourier transform over the last 3 dimensions."""

def IRFFT(input: _Any, fft_length: _Any, Treal: _Any = ..., name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Real values whose discrete Fourier transform over the last 1 dimensions is `input`."""

def IRFFT2D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Real values whose discrete Fourier transform over the last 2 dimensions is `input`."""

def IRFFT3D(input: _Any, fft_length: _Any, Treal: _Any = ..., name: str | None = None, Tcomplex: _Any = None) -> Tensor:
    """Real values whose discrete Fourier transform over the last 3 dimensions is `input`."""

def Identity(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same value."""

def IdentityN(input: _Any, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """The same values."""

def IdentityReader(container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is what the queue has, as key and as value."""

def IdentityReaderV2(container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is what the queue has, as key and as value."""

def If(cond: _Any, input: _Any, Tout: _Any, then_branch: _Any, else_branch: _Any, output_shapes: _Any = [], name: str | None = None, Tcond: _Any = None, Tin: _Any = None) -> list[Tensor]:
    """The result of then_branch, or of else_branch if `cond` is false, for `input`."""

def Igamma(a: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Lower regularised incomplete gamma function P(a, x)."""

def IgammaGradA(a: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Derivative of igamma(a, x) by a."""

def Igammac(a: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Upper regularised incomplete gamma function Q(a, x)."""

def IgnoreErrorsDataset(input_dataset: _Any, output_types: _Any, output_shapes: _Any, log_warning: _Any = False, name: str | None = None) -> Tensor:
    """The elements without those at which the input fails."""

def Imag(input: _Any, Tout: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Imaginary part."""

def ImageProjectiveTransformV2(images: _Any, transforms: _Any, output_shape: _Any, interpolation: _Any, fill_mode: _Any = b'CONSTANT', name: str | None = None, dtype: _Any = None) -> Tensor:
    """Applies a projective transform: output pixel (x, y) is sampled at the transformed (x, y) of the input."""

def ImageProjectiveTransformV3(images: _Any, transforms: _Any, output_shape: _Any, fill_value: _Any, interpolation: _Any, fill_mode: _Any = b'CONSTANT', name: str | None = None, dtype: _Any = None) -> Tensor:
    """Applies a projective transform: output pixel (x, y) is sampled at the transformed (x, y) of the input."""

def ImageSummary(tag: _Any, tensor: _Any, max_images: _Any = 3, bad_color: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """A Summary with the first images of a batch, as PNG files."""

def ImmutableConst(dtype: _Any, shape: _Any, memory_region_name: _Any, name: str | None = None) -> Tensor:
    """A tensor whose elements are the bytes of a file, which is read each time the operation runs."""

def InTopK(predictions: _Any, targets: _Any, k: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Whether each row's target is among the k largest predictions of the row."""

def InTopKV2(predictions: _Any, targets: _Any, k: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Whether each row's target is among the k largest predictions of the row."""

def InitializeTable(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tkey: _Any = None, Tval: _Any = None) -> Operation:
    """Initializes a static table."""

def InitializeTableFromTextFile(table_handle: _Any, filename: _Any, key_index: _Any, value_index: _Any, vocab_size: _Any = -1, delimiter: _Any = b'\t', offset: _Any = 0, name: str | None = None) -> Operation:
    """Initializes a static table from the lines of a file. An index is a column, -1 the line's number, -2 the whole line."""

def InitializeTableFromTextFileV2(table_handle: _Any, filename: _Any, key_index: _Any, value_index: _Any, vocab_size: _Any = -1, delimiter: _Any = b'\t', offset: _Any = 0, name: str | None = None) -> Operation:
    """Initializes a static table from the lines of a file. An index is a column, -1 the line's number, -2 the whole line."""

def InitializeTableV2(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tkey: _Any = None, Tval: _Any = None) -> Operation:
    """Initializes a static table."""

def InterleaveDataset(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, f: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` datasets in turn."""

def Inv(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """1 / x (the old name of Reciprocal)."""

def InvGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """-dy * y * y: the gradient of y = 1 / x."""

def Invert(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Flips all bits."""

def InvertPermutation(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The inverse of a permutation: y[x[i]] = i."""

def IsFinite(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Which elements are finite."""

def IsInf(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Which elements are infinite."""

def IsNan(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Which elements are NaN."""

def IsVariableInitialized(ref: _Any, name: str | None = None, dtype: _Any = None) -> Tensor:
    """Whether the variable has a value."""

def Iterator(shared_name: _Any, container: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The handle of an iterator, which has elements once MakeIterator has run."""

def IteratorFromStringHandle(string_handle: _Any, output_types: _Any = [], output_shapes: _Any = [], name: str | None = None) -> Tensor:
    """The iterator that a string stands for."""

def IteratorFromStringHandleV2(string_handle: _Any, output_types: _Any = [], output_shapes: _Any = [], name: str | None = None) -> Tensor:
    """The iterator that a string stands for."""

def IteratorGetNext(iterator: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> list[Tensor]:
    """The next element of an iterator. After the last one it fails with OUT_OF_RANGE."""

def IteratorGetNextAsOptional(iterator: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The next element of an iterator as an optional value, without a value after the last one."""

def IteratorGetNextSync(iterator: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> list[Tensor]:
    """The next element of an iterator. After the last one it fails with OUT_OF_RANGE."""

def IteratorToStringHandle(resource_handle: _Any, name: str | None = None) -> Tensor:
    """A string that stands for an iterator."""

def IteratorV2(shared_name: _Any, container: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The handle of an iterator, which has elements once MakeIterator has run."""

def L2Loss(t: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """sum(t ** 2) / 2"""

def LMDBDataset(filenames: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The pairs (key, value) of LMDB databases."""

def LMDBReader(container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is a pair of an LMDB database."""

def LRN(input: _Any, depth_radius: _Any = 5, bias: _Any = 1.0, alpha: _Any = 1.0, beta: _Any = 0.5, name: str | None = None, T: _Any = None) -> Tensor:
    """input / (bias + alpha * sum of input^2 over the channels within depth_radius) ^ beta."""

def LRNGrad(input_grads: _Any, input_image: _Any, output_image: _Any, depth_radius: _Any = 5, bias: _Any = 1.0, alpha: _Any = 1.0, beta: _Any = 0.5, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of LRN."""

def LeakyRelu(features: _Any, alpha: _Any = 0.2, name: str | None = None, T: _Any = None) -> Tensor:
    """features where positive, else alpha * features."""

def LeakyReluGrad(gradients: _Any, features: _Any, alpha: _Any = 0.2, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients where features > 0, else alpha * gradients."""

def LearnedUnigramCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Draws classes with the distribution of the true classes so far."""

def LeftShift(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def LegacyParallelInterleaveDatasetV2(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, buffer_output_elements: _Any, prefetch_input_elements: _Any, f: _Any, output_types: _Any, output_shapes: _Any, deterministic: _Any = b'default', metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """ParallelInterleaveDatasetV4 as it was before: all datasets of the cycle make elements at the same time."""

def Less(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x < y."""

def LessEqual(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x <= y."""

def Lgamma(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """log(|gamma(x)|)."""

def LinSpace(start: _Any, stop: _Any, num: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included."""

def ListDiff(x: _Any, y: _Any, out_idx: _Any = ..., name: str | None = None, T: _Any = None) -> _Any:
    """The elements of x that are not in y, and their indices in x."""

def Log(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Natural logarithm."""

def Log1p(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """log(1 + x), accurate near 0."""

def LogMatrixDeterminant(input: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Signs of determinants and logarithms of their magnitudes."""

def LogSoftmax(logits: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """logits - log(sum(exp(logits))) along the last dimension."""

def LogUniformCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Draws classes with an approximately Zipfian distribution."""

def LogicalAnd(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where both are true."""

def LogicalNot(x: _Any, name: str | None = None) -> Tensor:
    """Logical not."""

def LogicalOr(x: _Any, y: _Any, name: str | None = None) -> Tensor:
    """Where either is true."""

def LookupTableExport(table_handle: _Any, Tkeys: _Any, Tvalues: _Any, name: str | None = None) -> _Any:
    """All entries, in the order in which they were added as long as none is removed."""

def LookupTableExportV2(table_handle: _Any, Tkeys: _Any, Tvalues: _Any, name: str | None = None) -> _Any:
    """All entries, in the order in which they were added as long as none is removed."""

def LookupTableFind(table_handle: _Any, keys: _Any, default_value: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Tensor:
    """The values of keys; `default_value` for those that the table lacks."""

def LookupTableFindV2(table_handle: _Any, keys: _Any, default_value: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Tensor:
    """The values of keys; `default_value` for those that the table lacks."""

def LookupTableImport(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Operation:
    """Replaces the whole content of a table; initializes a static one."""

def LookupTableImportV2(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Operation:
    """Replaces the whole content of a table; initializes a static one."""

def LookupTableInsert(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Operation:
    """Adds entries, or replaces the values of keys."""

def LookupTableInsertV2(table_handle: _Any, keys: _Any, values: _Any, name: str | None = None, Tin: _Any = None, Tout: _Any = None) -> Operation:
    """Adds entries, or replaces the values of keys."""

def LookupTableRemoveV2(table_handle: _Any, keys: _Any, name: str | None = None, Tin: _Any = None) -> Operation:
    """Removes the entries of keys, if there are any."""

def LookupTableSize(table_handle: _Any, name: str | None = None) -> Tensor:
    """The number of entries."""

def LookupTableSizeV2(table_handle: _Any, name: str | None = None) -> Tensor:
    """The number of entries."""

def LoopCond(input: _Any, name: str | None = None) -> Tensor:
    """Forwards the condition of a loop: marks the predicate of the `Switch` nodes of the loop's variables."""

def LowerBound(sorted_inputs: _Any, values: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """First place in the sorted row where each value could be inserted."""

def Lu(input: _Any, output_idx_type: _Any = ..., name: str | None = None, T: _Any = None) -> _Any:
    """Factors of matrices, and p with gather(input, p) = l u, where l is lower triangular with a diagonal of ones."""

def MakeIterator(dataset: _Any, iterator: _Any, name: str | None = None) -> Operation:
    """Sets an iterator to the beginning of a dataset."""

def MapAndBatchDataset(input_dataset: _Any, other_arguments: _Any, batch_size: _Any, num_parallel_calls: _Any, drop_remainder: _Any, f: _Any, output_types: _Any, output_shapes: _Any, preserve_cardinality: _Any = False, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """The batches of ParallelMapDataset."""

def MapClear(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Operation:
    """Removes all tuples."""

def MapDataset(input_dataset: _Any, other_arguments: _Any, f: _Any, output_types: _Any, output_shapes: _Any, use_inter_op_parallelism: _Any = True, preserve_cardinality: _Any = False, force_synchronous: _Any = False, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """What `f` returns for each element. It also gets `other_arguments`."""

def MapIncompleteSize(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The number of tuples that lack a part."""

def MapPeek(key: _Any, indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Tensors of the tuple with a key; waits until there is one."""

def MapSize(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The number of complete tuples."""

def MapStage(key: _Any, indices: _Any, values: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None, fake_dtypes: _Any = None) -> Operation:
    """Puts a tuple, or a part of one, into a staging area with keys; waits while it is full."""

def MapUnstage(key: _Any, indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Removes and returns tensors of the tuple with a key; waits until there is one."""

def MapUnstageNoKey(indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> _Any:
    """Removes and returns tensors of the tuple with the smallest key; waits until there is one."""

def MatMul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, grad_a: _Any = False, grad_b: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Matrix product of a and b, each transposed first where asked."""

def MatchingFiles(pattern: _Any, name: str | None = None) -> Tensor:
    """The names of files that match patterns, in alphabetical order."""

def MatrixBandPart(input: _Any, num_lower: _Any, num_upper: _Any, name: str | None = None, T: _Any = None, Tindex: _Any = None) -> Tensor:
    """Matrices with zeros outside a band around the diagonal; a negative width keeps that triangle."""

def MatrixDeterminant(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Determinants of matrices."""

def MatrixDiag(diagonal: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with the given main diagonals, zero elsewhere."""

def MatrixDiagPart(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Main diagonals of matrices."""

def MatrixDiagPartV2(input: _Any, k: _Any, padding_value: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Diagonals k, or k[0] to k[1], of matrices; the shorter ones are padded."""

def MatrixDiagPartV3(input: _Any, k: _Any, padding_value: _Any, align: _Any = b'RIGHT_LEFT', name: str | None = None, T: _Any = None) -> Tensor:
    """Diagonals k, or k[0] to k[1], of matrices; the shorter ones are padded. align says where padding goes above and below the main diagonal."""

def MatrixDiagV2(diagonal: _Any, k: _Any, num_rows: _Any, num_cols: _Any, padding_value: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with the given diagonals k, or k[0] to k[1], and padding_value elsewhere."""

def MatrixDiagV3(diagonal: _Any, k: _Any, num_rows: _Any, num_cols: _Any, padding_value: _Any, align: _Any = b'RIGHT_LEFT', name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with the given diagonals k, or k[0] to k[1], and padding_value elsewhere. align says where padding goes above and below the main diagonal."""

def MatrixInverse(input: _Any, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Inverses of matrices, or of their adjoints."""

def MatrixLogarithm(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x with expm(x) = input, whose eigenvalues have imaginary parts in (-pi, pi]; NaN for a singular matrix."""

def MatrixSetDiag(input: _Any, diagonal: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with their main diagonals replaced."""

def MatrixSetDiagV2(input: _Any, diagonal: _Any, k: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with their diagonals k, or k[0] to k[1], replaced."""

def MatrixSetDiagV3(input: _Any, diagonal: _Any, k: _Any, align: _Any = b'RIGHT_LEFT', name: str | None = None, T: _Any = None) -> Tensor:
    """Matrices with their diagonals k, or k[0] to k[1], replaced. align says where padding goes above and below the main diagonal."""

def MatrixSolve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """x with matrix x = rhs, or adjoint(matrix) x = rhs."""

def MatrixSolveLs(matrix: _Any, rhs: _Any, l2_regularizer: _Any, fast: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """x for which the sum of squares of matrix x - rhs is least."""

def MatrixSquareRoot(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x with x x = input, whose eigenvalues have real parts >= 0; NaN for a matrix that has no such root."""

def MatrixTriangularSolve(matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """x with matrix x = rhs; of the matrix only the lower (upper) triangle is read."""

def Max(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Maximum along axes; the lowest value of nothing. NaN wins."""

def MaxPool(input: _Any, ksize: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Maximum of each window. NaN is skipped."""

def MaxPool3D(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Maximum of each window. NaN is skipped."""

def MaxPool3DGrad(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', name: str | None = None, T: _Any = None, TInput: _Any = None) -> Tensor:
    """Gradient of MaxPool3D: all values of a window within 1e-5 of its maximum get its gradient."""

def MaxPool3DGradGrad(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NDHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of MaxPool3DGrad: `grad` at the first maximum of each window."""

def MaxPoolGrad(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = [], data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of MaxPool: the first maximum of each window gets its gradient."""

def MaxPoolGradGrad(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of MaxPoolGrad: `grad` at the first maximum of each window."""

def MaxPoolGradGradV2(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """MaxPoolGradGrad with the window as inputs."""

def MaxPoolGradGradWithArgmax(input: _Any, grad: _Any, argmax: _Any, ksize: _Any, strides: _Any, padding: _Any, include_batch_in_index: _Any = False, name: str | None = None, Targmax: _Any = None, T: _Any = None) -> Tensor:
    """Gradient of MaxPoolGradWithArgmax: `grad` at the indices."""

def MaxPoolGradV2(orig_input: _Any, orig_output: _Any, grad: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """MaxPoolGrad with the window as inputs."""

def MaxPoolGradWithArgmax(input: _Any, grad: _Any, argmax: _Any, ksize: _Any, strides: _Any, padding: _Any, include_batch_in_index: _Any = False, name: str | None = None, Targmax: _Any = None, T: _Any = None) -> Tensor:
    """Gradient of MaxPoolWithArgmax."""

def MaxPoolV2(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """MaxPool with the window as inputs."""

def MaxPoolWithArgmax(input: _Any, ksize: _Any, strides: _Any, padding: _Any, Targmax: _Any = ..., include_batch_in_index: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """Maximum of each window and its index in the flattened image, or in the whole batch."""

def Maximum(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The larger of x and y; NaN if either is."""

def Mean(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Mean along axes; NaN of nothing. Integers divide towards zero."""

def Merge(inputs: _Any, name: str | None = None, T: _Any = None, N: _Any = None) -> _Any:
    """Forwards the first live input, and its index; dead only if all inputs are."""

def MergeSummary(inputs: _Any, name: str | None = None, N: _Any = None) -> Tensor:
    """A Summary with the values of all of the inputs."""

def MergeV2Checkpoints(checkpoint_prefixes: _Any, destination_prefix: _Any, delete_old_dirs: _Any = True, allow_missing_files: _Any = False, name: str | None = None) -> Operation:
    """Makes one checkpoint of several, which are removed."""

def Mfcc(spectrogram: _Any, sample_rate: _Any, upper_frequency_limit: _Any = 4000.0, lower_frequency_limit: _Any = 20.0, filterbank_channel_count: _Any = 40, dct_coefficient_count: _Any = 13, name: str | None = None) -> Tensor:
    """Cosine transforms of the logarithms of spectrograms on the mel scale, from squared magnitudes."""

def Min(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Minimum along axes; the highest value of nothing. NaN wins."""

def Minimum(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The smaller of x and y; NaN if either is."""

def MirrorPad(input: _Any, paddings: _Any, mode: _Any, name: str | None = None, T: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """Pads with mirrored elements, including (SYMMETRIC) or excluding (REFLECT) the edge."""

def MirrorPadGrad(input: _Any, paddings: _Any, mode: _Any, name: str | None = None, T: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """The gradient of MirrorPad: adds the mirrored elements to their sources."""

def Mod(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Remainder of truncating division."""

def ModelDataset(input_dataset: _Any, output_types: _Any, output_shapes: _Any, algorithm: _Any = 0, cpu_budget: _Any = 0, ram_budget: _Any = 0, name: str | None = None) -> Tensor:
    """The input: what TensorFlow says here about how to run it has no effect."""

def Mul(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x * y."""

def MulNoNan(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x * y, 0 where y is 0 even if x is infinite or NaN."""

def Multinomial(logits: _Any, num_samples: _Any, seed: _Any = 0, seed2: _Any = 0, output_dtype: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """`num_samples` class numbers for each row of unnormalised log-probabilities."""

def MutableDenseHashTable(empty_key: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, value_shape: _Any = (), initial_num_buckets: _Any = 131072, max_load_factor: _Any = 0.8, name: str | None = None, key_dtype: _Any = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that may change, whose keys are scalars or vectors, but not some special ones."""

def MutableDenseHashTableV2(empty_key: _Any, deleted_key: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, value_shape: _Any = (), initial_num_buckets: _Any = 131072, max_load_factor: _Any = 0.8, name: str | None = None, key_dtype: _Any = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that may change, whose keys are scalars or vectors, but not some special ones."""

def MutableHashTable(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that may change."""

def MutableHashTableOfTensors(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, value_shape: _Any = (), name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table with vectors for values, that may change."""

def MutableHashTableOfTensorsV2(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, value_shape: _Any = (), name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table with vectors for values, that may change."""

def MutableHashTableV2(key_dtype: _Any, value_dtype: _Any, container: _Any = b'', shared_name: _Any = b'', use_node_name_sharing: _Any = False, name: str | None = None) -> Tensor:
    """The handle of a table, made when it is first needed. A table that may change."""

def Ndtri(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Quantile of the standard normal distribution."""

def Neg(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Numerical negative value."""

def NextAfter(x1: _Any, x2: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The next representable number after x1 towards x2."""

def NextIteration(data: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Passes `data` to the next iteration."""

def NoOp(name: str | None = None) -> Operation:
    """Does nothing; its control inputs run before it."""

def NonMaxSuppression(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = 0.5, name: str | None = None) -> Tensor:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NonMaxSuppressionV2(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any, name: str | None = None, T: _Any = None, T_threshold: _Any = None) -> Tensor:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NonMaxSuppressionV3(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any, score_threshold: _Any, name: str | None = None, T: _Any = None, T_threshold: _Any = None) -> Tensor:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NonMaxSuppressionV4(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any, score_threshold: _Any, pad_to_max_output_size: _Any = False, name: str | None = None, T: _Any = None, T_threshold: _Any = None) -> _Any:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NonMaxSuppressionV5(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any, score_threshold: _Any, soft_nms_sigma: _Any, pad_to_max_output_size: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NonMaxSuppressionWithOverlaps(overlaps: _Any, scores: _Any, max_output_size: _Any, overlap_threshold: _Any, score_threshold: _Any, name: str | None = None) -> Tensor:
    """Indices of the boxes of the best scores, without those that overlap a better one too much."""

def NotEqual(x: _Any, y: _Any, incompatible_shape_error: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """Where x != y."""

def NthElement(input: _Any, n: _Any, reverse: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """The n-th smallest (with `reverse`: largest) element of each row, counted from 0."""

def OneHot(indices: _Any, depth: _Any, on_value: _Any, off_value: _Any, axis: _Any = -1, name: str | None = None, T: _Any = None, TI: _Any = None) -> Tensor:
    """One-hot vectors along `axis`: on_value at the index, off_value elsewhere."""

def OneShotIterator(dataset_factory: _Any, output_types: _Any, output_shapes: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of an iterator over the dataset that `dataset_factory` makes when it is first used."""

def OnesLike(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Ones in the shape and type of `x`."""

def OptimizeDataset(input_dataset: _Any, optimizations: _Any, output_types: _Any, output_shapes: _Any, optimization_configs: _Any = [], name: str | None = None) -> Tensor:
    """The input: what TensorFlow says here about how to run it has no effect."""

def OptimizeDatasetV2(input_dataset: _Any, optimizations_enabled: _Any, optimizations_disabled: _Any, optimizations_default: _Any, output_types: _Any, output_shapes: _Any, optimization_configs: _Any = [], name: str | None = None) -> Tensor:
    """The input: what TensorFlow says here about how to run it has no effect."""

def OptionalFromValue(components: _Any, name: str | None = None, Toutput_types: _Any = None) -> Tensor:
    """An optional value that is an element."""

def OptionalGetValue(optional: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> list[Tensor]:
    """The element that an optional value is. Fails with INVALID_ARGUMENT if it is none."""

def OptionalHasValue(optional: _Any, name: str | None = None) -> Tensor:
    """Whether an optional value is an element."""

def OptionalNone(name: str | None = None) -> Tensor:
    """An optional value without one."""

def OptionsDataset(input_dataset: _Any, serialized_options: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The input: what TensorFlow says here about how to run it has no effect."""

def OrderedMapClear(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Operation:
    """Removes all tuples."""

def OrderedMapIncompleteSize(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The number of tuples that lack a part."""

def OrderedMapPeek(key: _Any, indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Tensors of the tuple with a key; waits until there is one."""

def OrderedMapSize(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The number of complete tuples."""

def OrderedMapStage(key: _Any, indices: _Any, values: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None, fake_dtypes: _Any = None) -> Operation:
    """Puts a tuple, or a part of one, into a staging area with keys; waits while it is full."""

def OrderedMapUnstage(key: _Any, indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Removes and returns tensors of the tuple with a key; waits until there is one."""

def OrderedMapUnstageNoKey(indices: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> _Any:
    """Removes and returns tensors of the tuple with the smallest key; waits until there is one."""

def Pack(values: _Any, axis: _Any = 0, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Joins tensors of one shape along a new dimension."""

def Pad(input: _Any, paddings: _Any, name: str | None = None, T: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """Adds paddings[d, 0] zeros before and paddings[d, 1] after, in each dimension d."""

def PadV2(input: _Any, paddings: _Any, constant_values: _Any, name: str | None = None, T: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """Like Pad, with a given scalar instead of zero."""

def PaddedBatchDataset(input_dataset: _Any, batch_size: _Any, padded_shapes: _Any, padding_values: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Toutput_types: _Any = None, N: _Any = None) -> Tensor:
    """Stacks elements of different sizes: they are padded to a given size, or to the largest of the batch (-1)."""

def PaddedBatchDatasetV2(input_dataset: _Any, batch_size: _Any, padded_shapes: _Any, padding_values: _Any, drop_remainder: _Any, output_shapes: _Any, parallel_copy: _Any = False, metadata: _Any = b'', name: str | None = None, Toutput_types: _Any = None, N: _Any = None) -> Tensor:
    """PaddedBatchDataset that may drop a smaller rest."""

def PaddingFIFOQueue(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. A FIFOQueue of elements that differ in size."""

def PaddingFIFOQueueV2(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. A FIFOQueue of elements that differ in size."""

def ParallelBatchDataset(input_dataset: _Any, batch_size: _Any, num_parallel_calls: _Any, drop_remainder: _Any, output_types: _Any, output_shapes: _Any, parallel_copy: _Any = False, deterministic: _Any = b'default', metadata: _Any = b'', name: str | None = None) -> Tensor:
    """BatchDatasetV2. The number of calls has no effect."""

def ParallelConcat(values: _Any, shape: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """Joins tensors of one row along the first dimension."""

def ParallelDynamicStitch(indices: _Any, data: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> Tensor:
    """merged[indices[m][i...], :] = data[m][i..., :]; of equal indices the last counts."""

def ParallelInterleaveDataset(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, sloppy: _Any, buffer_output_elements: _Any, prefetch_input_elements: _Any, f: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """ParallelInterleaveDatasetV4 as it was before: all datasets of the cycle make elements at the same time."""

def ParallelInterleaveDatasetV2(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, num_parallel_calls: _Any, f: _Any, output_types: _Any, output_shapes: _Any, sloppy: _Any = False, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` datasets in turn. They are made ahead of time, by up to `num_parallel_calls` datasets at the same time."""

def ParallelInterleaveDatasetV3(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, num_parallel_calls: _Any, f: _Any, output_types: _Any, output_shapes: _Any, deterministic: _Any = b'default', metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` datasets in turn. They are made ahead of time, by up to `num_parallel_calls` datasets at the same time."""

def ParallelInterleaveDatasetV4(input_dataset: _Any, other_arguments: _Any, cycle_length: _Any, block_length: _Any, buffer_output_elements: _Any, prefetch_input_elements: _Any, num_parallel_calls: _Any, f: _Any, output_types: _Any, output_shapes: _Any, deterministic: _Any = b'default', metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` datasets in turn. They are made ahead of time, by up to `num_parallel_calls` datasets at the same time."""

def ParallelMapDataset(input_dataset: _Any, other_arguments: _Any, num_parallel_calls: _Any, f: _Any, output_types: _Any, output_shapes: _Any, use_inter_op_parallelism: _Any = True, sloppy: _Any = False, preserve_cardinality: _Any = False, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """What `f` returns for each element, in order; up to `num_parallel_calls` calls run at the same time."""

def ParallelMapDatasetV2(input_dataset: _Any, other_arguments: _Any, num_parallel_calls: _Any, f: _Any, output_types: _Any, output_shapes: _Any, use_inter_op_parallelism: _Any = True, deterministic: _Any = b'default', preserve_cardinality: _Any = False, use_unbounded_threadpool: _Any = False, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """What `f` returns for each element, in order; up to `num_parallel_calls` calls run at the same time."""

def ParameterizedTruncatedNormal(shape: _Any, means: _Any, stdevs: _Any, minvals: _Any, maxvals: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, dtype: _Any = None, T: _Any = None) -> Tensor:
    """Random numbers of normal distributions, between bounds; each row may have other parameters."""

def ParseExample(serialized: _Any, names: _Any, sparse_keys: _Any, dense_keys: _Any, dense_defaults: _Any, sparse_types: _Any, dense_shapes: _Any, name: str | None = None, Nsparse: _Any = None, Ndense: _Any = None, Tdense: _Any = None) -> _Any:
    """Parses a batch of serialized messages tf.train.Example."""

def ParseExampleV2(serialized: _Any, names: _Any, sparse_keys: _Any, dense_keys: _Any, ragged_keys: _Any, dense_defaults: _Any, num_sparse: _Any, sparse_types: _Any, ragged_value_types: _Any, ragged_split_types: _Any, dense_shapes: _Any, name: str | None = None, Tdense: _Any = None) -> _Any:
    """Parses a serialized message tf.train.Example, or a vector of them."""

def ParseSequenceExample(serialized: _Any, debug_name: _Any, context_dense_defaults: _Any, feature_list_dense_missing_assumed_empty: _Any, context_sparse_keys: _Any, context_dense_keys: _Any, feature_list_sparse_keys: _Any, feature_list_dense_keys: _Any, Ncontext_sparse: _Any = 0, Ncontext_dense: _Any = 0, Nfeature_list_sparse: _Any = 0, Nfeature_list_dense: _Any = 0, context_sparse_types: _Any = [], feature_list_dense_types: _Any = [], context_dense_shapes: _Any = [], feature_list_sparse_types: _Any = [], feature_list_dense_shapes: _Any = [], name: str | None = None, Tcontext_dense: _Any = None) -> _Any:
    """Parses a serialized message tf.train.SequenceExample, or a vector of them."""

def ParseSequenceExampleV2(serialized: _Any, debug_name: _Any, context_sparse_keys: _Any, context_dense_keys: _Any, context_ragged_keys: _Any, feature_list_sparse_keys: _Any, feature_list_dense_keys: _Any, feature_list_ragged_keys: _Any, feature_list_dense_missing_assumed_empty: _Any, context_dense_defaults: _Any, Ncontext_sparse: _Any = 0, context_sparse_types: _Any = [], context_ragged_value_types: _Any = [], context_ragged_split_types: _Any = [], context_dense_shapes: _Any = [], Nfeature_list_sparse: _Any = 0, Nfeature_list_dense: _Any = 0, feature_list_dense_types: _Any = [], feature_list_sparse_types: _Any = [], feature_list_ragged_value_types: _Any = [], feature_list_ragged_split_types: _Any = [], feature_list_dense_shapes: _Any = [], name: str | None = None, Tcontext_dense: _Any = None) -> _Any:
    """Parses a serialized message tf.train.SequenceExample, or a vector of them."""

def ParseSingleExample(serialized: _Any, dense_defaults: _Any, num_sparse: _Any, sparse_keys: _Any, dense_keys: _Any, sparse_types: _Any, dense_shapes: _Any, name: str | None = None, Tdense: _Any = None) -> _Any:
    """Parses one serialized message tf.train.Example."""

def ParseSingleSequenceExample(serialized: _Any, feature_list_dense_missing_assumed_empty: _Any, context_sparse_keys: _Any, context_dense_keys: _Any, feature_list_sparse_keys: _Any, feature_list_dense_keys: _Any, context_dense_defaults: _Any, debug_name: _Any, context_sparse_types: _Any = [], feature_list_dense_types: _Any = [], context_dense_shapes: _Any = [], feature_list_sparse_types: _Any = [], feature_list_dense_shapes: _Any = [], name: str | None = None, Ncontext_sparse: _Any = None, Ncontext_dense: _Any = None, Nfeature_list_sparse: _Any = None, Nfeature_list_dense: _Any = None, Tcontext_dense: _Any = None) -> _Any:
    """Parses one serialized message tf.train.SequenceExample."""

def ParseTensor(serialized: _Any, out_type: _Any, name: str | None = None) -> Tensor:
    """The tensor in a serialized message TensorProto."""

def PartitionedCall(args: _Any, Tout: _Any, f: _Any, config: _Any = b'', config_proto: _Any = b'', executor_type: _Any = b'', name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls function `f`. Its operations are placed individually, as in all calls."""

def Placeholder(dtype: _Any, shape: _Any = None, name: str | None = None) -> Tensor:
    """A value that must be fed. Running it without a feed is an error."""

def PlaceholderV2(dtype: _Any, shape: _Any, name: str | None = None) -> Tensor:
    """A value that must be fed. Running it without a feed is an error."""

def PlaceholderWithDefault(input: _Any, shape: _Any, name: str | None = None, dtype: _Any = None) -> Tensor:
    """The value of `input` unless the output is fed."""

def Polygamma(a: _Any, x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The a-th derivative of digamma."""

def PopulationCount(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Number of bits that are set."""

def Pow(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x to the power y."""

def PrefetchDataset(input_dataset: _Any, buffer_size: _Any, output_types: _Any, output_shapes: _Any, slack_period: _Any = 0, legacy_autotune: _Any = True, buffer_size_min: _Any = 0, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements; up to `buffer_size` are made before they are needed."""

def PreventGradient(input: _Any, message: _Any = b'', name: str | None = None, T: _Any = None) -> Tensor:
    """The same value; differentiating through it is an error with this message."""

def Print(input: _Any, data: _Any, message: _Any = b'', first_n: _Any = -1, summarize: _Any = 3, name: str | None = None, T: _Any = None, U: _Any = None) -> Tensor:
    """Forwards `input` and prints `data` to standard error, the first `first_n` times."""

def PrintV2(input: _Any, output_stream: _Any = b'stderr', end: _Any = b'\n', name: str | None = None) -> Operation:
    """Writes a string and `end` to a stream: stdout, stderr, log(info) or file://path."""

def PriorityQueue(shapes: _Any, component_types: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. The first component decides about the order: least first."""

def PriorityQueueV2(shapes: _Any, component_types: _Any = [], capacity: _Any = -1, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. The first component decides about the order: least first."""

def Prod(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Product along axes; 1 of nothing."""

def PyFunc(input: _Any, token: _Any, Tout: _Any, name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`."""

def PyFuncStateless(input: _Any, token: _Any, Tout: _Any, name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls the Python function registered as `token`, which has no side effects."""

def Qr(input: _Any, full_matrices: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """QR decompositions: input = q r with orthonormal columns of q, and an upper triangular r."""

def QuantizeAndDequantize(input: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, input_min: _Any = 0.0, input_max: _Any = 0.0, name: str | None = None, T: _Any = None) -> Tensor:
    """QuantizeAndDequantizeV2 in graphs of TensorFlow before 1.0, with the range as attributes."""

def QuantizeAndDequantizeV2(input: _Any, input_min: _Any, input_max: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, round_mode: _Any = b'HALF_TO_EVEN', narrow_range: _Any = False, axis: _Any = -1, name: str | None = None, T: _Any = None) -> Tensor:
    """Rounds numbers to those that integers of `num_bits` bits can stand for."""

def QuantizeAndDequantizeV3(input: _Any, input_min: _Any, input_max: _Any, num_bits: _Any, signed_input: _Any = True, range_given: _Any = True, narrow_range: _Any = False, axis: _Any = -1, name: str | None = None, T: _Any = None) -> Tensor:
    """QuantizeAndDequantizeV2 with a number of bits that is an input."""

def QuantizeAndDequantizeV4(input: _Any, input_min: _Any, input_max: _Any, signed_input: _Any = True, num_bits: _Any = 8, range_given: _Any = False, round_mode: _Any = b'HALF_TO_EVEN', narrow_range: _Any = False, axis: _Any = -1, name: str | None = None, T: _Any = None) -> Tensor:
    """QuantizeAndDequantizeV2 with a gradient that is 0 outside of the range."""

def QuantizeAndDequantizeV4Grad(gradients: _Any, input: _Any, input_min: _Any, input_max: _Any, axis: _Any = -1, name: str | None = None, T: _Any = None) -> _Any:
    """Gradient of QuantizeAndDequantizeV4."""

def QuantizeDownAndShrinkRange(input: _Any, input_min: _Any, input_max: _Any, out_type: _Any, name: str | None = None, Tinput: _Any = None) -> _Any:
    """Requantize to the range that the numbers have."""

def QuantizeV2(input: _Any, min_range: _Any, max_range: _Any, T: _Any, mode: _Any = b'MIN_COMBINED', round_mode: _Any = b'HALF_AWAY_FROM_ZERO', narrow_range: _Any = False, axis: _Any = -1, ensure_minimum_range: _Any = 0.01, name: str | None = None) -> _Any:
    """Integers for the numbers of a range."""

def QuantizedAvgPool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any, strides: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Means over windows of quantized images."""

def QuantizedBatchNormWithGlobalNormalization(t: _Any, t_min: _Any, t_max: _Any, m: _Any, m_min: _Any, m_max: _Any, v: _Any, v_min: _Any, v_max: _Any, beta: _Any, beta_min: _Any, beta_max: _Any, gamma: _Any, gamma_min: _Any, gamma_max: _Any, out_type: _Any, variance_epsilon: _Any, scale_after_normalization: _Any, name: str | None = None, Tinput: _Any = None) -> _Any:
    """Normalizes quantized images by given means and variances of their channels."""

def QuantizedBiasAdd(input: _Any, bias: _Any, min_input: _Any, max_input: _Any, min_bias: _Any, max_bias: _Any, out_type: _Any, name: str | None = None, T1: _Any = None, T2: _Any = None) -> _Any:
    """Quantized numbers plus a vector along their last dimension."""

def QuantizedConcat(concat_dim: _Any, values: _Any, input_mins: _Any, input_maxes: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> _Any:
    """Joins quantized tensors along a dimension, in a range for all of them."""

def QuantizedConv2D(input: _Any, filter: _Any, min_input: _Any, max_input: _Any, min_filter: _Any, max_filter: _Any, strides: _Any, padding: _Any, out_type: _Any = ..., dilations: _Any = [1, 1, 1, 1], name: str | None = None, Tinput: _Any = None, Tfilter: _Any = None) -> _Any:
    """The convolution of quantized images with quantized filters."""

def QuantizedInstanceNorm(x: _Any, x_min: _Any, x_max: _Any, output_range_given: _Any = False, given_y_min: _Any = 0.0, given_y_max: _Any = 0.0, variance_epsilon: _Any = 1e-05, min_separation: _Any = 0.001, name: str | None = None, T: _Any = None) -> _Any:
    """Normalizes each channel of each quantized image to mean 0 and variance 1."""

def QuantizedMatMul(a: _Any, b: _Any, min_a: _Any, max_a: _Any, min_b: _Any, max_b: _Any, Toutput: _Any = ..., transpose_a: _Any = False, transpose_b: _Any = False, Tactivation: _Any = ..., name: str | None = None, T1: _Any = None, T2: _Any = None) -> _Any:
    """The product of two matrices of quantized numbers."""

def QuantizedMaxPool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any, strides: _Any, padding: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Maxima over windows of quantized images."""

def QuantizedRelu(features: _Any, min_features: _Any, max_features: _Any, out_type: _Any = ..., name: str | None = None, Tinput: _Any = None) -> _Any:
    """max(features, 0) of quantized numbers."""

def QuantizedRelu6(features: _Any, min_features: _Any, max_features: _Any, out_type: _Any = ..., name: str | None = None, Tinput: _Any = None) -> _Any:
    """min(max(features, 0), 6) of quantized numbers."""

def QuantizedReluX(features: _Any, max_value: _Any, min_features: _Any, max_features: _Any, out_type: _Any = ..., name: str | None = None, Tinput: _Any = None) -> _Any:
    """min(max(features, 0), max_value) of quantized numbers."""

def QuantizedReshape(tensor: _Any, shape: _Any, input_min: _Any, input_max: _Any, name: str | None = None, T: _Any = None, Tshape: _Any = None) -> _Any:
    """Reshape of quantized numbers, whose range stays."""

def QueueClose(handle: _Any, cancel_pending_enqueues: _Any = False, name: str | None = None) -> Operation:
    """No more elements can be added once those that are pending have been, or have been cancelled."""

def QueueCloseV2(handle: _Any, cancel_pending_enqueues: _Any = False, name: str | None = None) -> Operation:
    """No more elements can be added once those that are pending have been, or have been cancelled."""

def QueueDequeue(handle: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns an element."""

def QueueDequeueMany(handle: _Any, n: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns `n` elements, as rows."""

def QueueDequeueManyV2(handle: _Any, n: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns `n` elements, as rows."""

def QueueDequeueUpTo(handle: _Any, n: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns `n` elements, as rows; fewer, but at least one, if the queue is closed."""

def QueueDequeueUpToV2(handle: _Any, n: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns `n` elements, as rows; fewer, but at least one, if the queue is closed."""

def QueueDequeueV2(handle: _Any, component_types: _Any, timeout_ms: _Any = -1, name: str | None = None) -> list[Tensor]:
    """Removes and returns an element."""

def QueueEnqueue(handle: _Any, components: _Any, timeout_ms: _Any = -1, name: str | None = None, Tcomponents: _Any = None) -> Operation:
    """Adds an element."""

def QueueEnqueueMany(handle: _Any, components: _Any, timeout_ms: _Any = -1, name: str | None = None, Tcomponents: _Any = None) -> Operation:
    """Adds the rows of the components as elements."""

def QueueEnqueueManyV2(handle: _Any, components: _Any, timeout_ms: _Any = -1, name: str | None = None, Tcomponents: _Any = None) -> Operation:
    """Adds the rows of the components as elements."""

def QueueEnqueueV2(handle: _Any, components: _Any, timeout_ms: _Any = -1, name: str | None = None, Tcomponents: _Any = None) -> Operation:
    """Adds an element."""

def QueueIsClosed(handle: _Any, name: str | None = None) -> Tensor:
    """Whether the queue is closed."""

def QueueIsClosedV2(handle: _Any, name: str | None = None) -> Tensor:
    """Whether the queue is closed."""

def QueueSize(handle: _Any, name: str | None = None) -> Tensor:
    """The number of elements."""

def QueueSizeV2(handle: _Any, name: str | None = None) -> Tensor:
    """The number of elements."""

def RFFT(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: str | None = None, Treal: _Any = None) -> Tensor:
    """Discrete Fourier transform of real values over the last 1 dimensions."""

def RFFT2D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: str | None = None, Treal: _Any = None) -> Tensor:
    """Discrete Fourier transform of real values over the last 2 dimensions."""

def RFFT3D(input: _Any, fft_length: _Any, Tcomplex: _Any = ..., name: str | None = None, Treal: _Any = None) -> Tensor:
    """Discrete Fourier transform of real values over the last 3 dimensions."""

def RGBToHSV(images: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Hue, saturation and value of colours, each in [0, 1]."""

def RaggedBincount(splits: _Any, values: _Any, size: _Any, weights: _Any, binary_output: _Any = False, name: str | None = None, Tidx: _Any = None, T: _Any = None) -> Tensor:
    """The count, or total weight, of each number below `size` in each row of a ragged tensor."""

def RaggedCountSparseOutput(splits: _Any, values: _Any, weights: _Any, binary_output: _Any, minlength: _Any = -1, maxlength: _Any = -1, name: str | None = None, T: _Any = None, output_type: _Any = None) -> _Any:
    """The counts, or total weights, of the numbers in each row of a ragged tensor, as a sparse tensor."""

def RaggedGather(params_nested_splits: _Any, params_dense_values: _Any, indices: _Any, OUTPUT_RAGGED_RANK: _Any, name: str | None = None, Tvalues: _Any = None, Tindices: _Any = None, Tsplits: _Any = None, PARAMS_RAGGED_RANK: _Any = None) -> _Any:
    """The rows of a ragged tensor at `indices`, as a ragged tensor with the dimensions of the indices in front."""

def RaggedRange(starts: _Any, limits: _Any, deltas: _Any, Tsplits: _Any = ..., name: str | None = None, T: _Any = None) -> _Any:
    """A ragged tensor whose rows are ranges of numbers. Scalars hold for all rows."""

def RaggedTensorFromVariant(encoded_ragged: _Any, input_ragged_rank: _Any, output_ragged_rank: _Any, Tvalues: _Any, Tsplits: _Any = ..., name: str | None = None) -> _Any:
    """The ragged tensor that a variant holds, or whose rows a tensor of variants holds."""

def RaggedTensorToSparse(rt_nested_splits: _Any, rt_dense_values: _Any, name: str | None = None, RAGGED_RANK: _Any = None, T: _Any = None, Tsplits: _Any = None) -> _Any:
    """A ragged tensor as a sparse one."""

def RaggedTensorToTensor(shape: _Any, values: _Any, default_value: _Any, row_partition_tensors: _Any, row_partition_types: _Any, name: str | None = None, T: _Any = None, Tindex: _Any = None, Tshape: _Any = None, num_row_partition_tensors: _Any = None) -> Tensor:
    """A ragged tensor as a dense one: short rows are filled with `default_value`, and longer ones than `shape` says
    are cut."""

def RaggedTensorToVariant(rt_nested_splits: _Any, rt_dense_values: _Any, batched_input: _Any, name: str | None = None, RAGGED_RANK: _Any = None, Tvalues: _Any = None, Tsplits: _Any = None) -> Tensor:
    """A ragged tensor as a variant, or with batched_input as a vector of variants: its rows."""

def RaggedTensorToVariantGradient(encoded_ragged_grad: _Any, row_splits: _Any, dense_values_shape: _Any, Tvalues: _Any, name: str | None = None, Tsplits: _Any = None) -> Tensor:
    """The gradient for the values of a ragged tensor, from the gradients of its rows."""

def RandomCrop(image: _Any, size: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> Tensor:
    """A part of an image, of a given height and width, at a random place."""

def RandomDataset(seed: _Any, seed2: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Random numbers from 0 to 2**32 - 1 without an end, the same in each iteration."""

def RandomDatasetV2(seed: _Any, seed2: _Any, seed_generator: _Any, output_types: _Any, output_shapes: _Any, rerandomize_each_iteration: _Any = False, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """RandomDataset that may have other numbers in each iteration: the generator is that of DummySeedGenerator."""

def RandomGamma(shape: _Any, alpha: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, S: _Any = None, T: _Any = None) -> Tensor:
    """Samples of shape `shape` from a gamma distribution of scale 1 for each element of `alpha`."""

def RandomGammaGrad(alpha: _Any, sample: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Derivative of a sample of the gamma distribution by its parameter alpha, at a fixed probability."""

def RandomIndexShuffle(index: _Any, seed: _Any, max_index: _Any, rounds: _Any = 4, name: str | None = None, dtype: _Any = None, Tseed: _Any = None) -> Tensor:
    """The elements of random permutations at the given indices."""

def RandomPoisson(shape: _Any, rate: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, S: _Any = None, dtype: _Any = None) -> Tensor:
    """The older form of RandomPoissonV2."""

def RandomPoissonV2(shape: _Any, rate: _Any, seed: _Any = 0, seed2: _Any = 0, dtype: _Any = ..., name: str | None = None, S: _Any = None, R: _Any = None) -> Tensor:
    """Samples of shape `shape` from a Poisson distribution for each element of `rate`."""

def RandomShuffle(value: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> Tensor:
    """The rows of `value` (along its first dimension) in random order."""

def RandomShuffleQueue(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, min_after_dequeue: _Any = 0, seed: _Any = 0, seed2: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. Elements leave it in random order."""

def RandomShuffleQueueV2(component_types: _Any, shapes: _Any = [], capacity: _Any = -1, min_after_dequeue: _Any = 0, seed: _Any = 0, seed2: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a queue, made when it is first needed. Elements leave it in random order."""

def RandomStandardNormal(shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> Tensor:
    """Normal numbers of shape `shape`, mean 0 and standard deviation 1."""

def RandomUniform(shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> Tensor:
    """Numbers of shape `shape`, uniform in [0, 1)."""

def RandomUniformInt(shape: _Any, minval: _Any, maxval: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, Tout: _Any = None, T: _Any = None) -> Tensor:
    """Integers of shape `shape`, uniform in [minval, maxval) up to the bias of a remainder."""

def Range(start: _Any, limit: _Any, delta: _Any, name: str | None = None, Tidx: _Any = None) -> Tensor:
    """start, start + delta, ..., which stops before limit."""

def RangeDataset(start: _Any, stop: _Any, step: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', replicate_on_split: _Any = False, name: str | None = None) -> Tensor:
    """The numbers from `start` up to, but without, `stop`, in steps of `step`."""

def Rank(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The number of dimensions."""

def ReadFile(filename: _Any, name: str | None = None) -> Tensor:
    """The bytes of a file."""

def ReadVariableOp(resource: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """The variable's value when the operation runs. Later assignments do not change it."""

def ReaderNumRecordsProduced(reader_handle: _Any, name: str | None = None) -> Tensor:
    """How many records were read."""

def ReaderNumRecordsProducedV2(reader_handle: _Any, name: str | None = None) -> Tensor:
    """How many records were read."""

def ReaderNumWorkUnitsCompleted(reader_handle: _Any, name: str | None = None) -> Tensor:
    """How many files were read to the end."""

def ReaderNumWorkUnitsCompletedV2(reader_handle: _Any, name: str | None = None) -> Tensor:
    """How many files were read to the end."""

def ReaderRead(reader_handle: _Any, queue_handle: _Any, name: str | None = None) -> _Any:
    """The next record."""

def ReaderReadUpTo(reader_handle: _Any, queue_handle: _Any, num_records: _Any, name: str | None = None) -> _Any:
    """The next records of a file, at most `num_records`, at least one."""

def ReaderReadUpToV2(reader_handle: _Any, queue_handle: _Any, num_records: _Any, name: str | None = None) -> _Any:
    """The next records of a file, at most `num_records`, at least one."""

def ReaderReadV2(reader_handle: _Any, queue_handle: _Any, name: str | None = None) -> _Any:
    """The next record."""

def ReaderReset(reader_handle: _Any, name: str | None = None) -> Operation:
    """The reader forgets its file and all counts."""

def ReaderResetV2(reader_handle: _Any, name: str | None = None) -> Operation:
    """The reader forgets its file and all counts."""

def ReaderRestoreState(reader_handle: _Any, state: _Any, name: str | None = None) -> Operation:
    """Gives a reader a state."""

def ReaderRestoreStateV2(reader_handle: _Any, state: _Any, name: str | None = None) -> Operation:
    """Gives a reader a state."""

def ReaderSerializeState(reader_handle: _Any, name: str | None = None) -> Tensor:
    """The state of a reader, as a string."""

def ReaderSerializeStateV2(reader_handle: _Any, name: str | None = None) -> Tensor:
    """The state of a reader, as a string."""

def Real(input: _Any, Tout: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Real part."""

def RealDiv(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y for real types."""

def Reciprocal(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """1 / x."""

def ReciprocalGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """-dy * y * y: the gradient of y = 1 / x."""

def ReduceDataset(input_dataset: _Any, initial_state: _Any, other_arguments: _Any, f: _Any, output_types: _Any, output_shapes: _Any, use_inter_op_parallelism: _Any = True, metadata: _Any = b'', name: str | None = None, Tstate: _Any = None, Targuments: _Any = None) -> list[Tensor]:
    """The last state: `f` gets a state and an element, and returns the next state."""

def ReduceJoin(inputs: _Any, reduction_indices: _Any, keep_dims: _Any = False, separator: _Any = b'', name: str | None = None) -> Tensor:
    """Joins strings along axes, along the first one first."""

def RefEnter(data: _Any, frame_name: _Any, is_constant: _Any = False, parallel_iterations: _Any = 10, name: str | None = None, T: _Any = None) -> Tensor:
    """Makes `data` a value of iteration 0 (if is_constant, of every iteration) of the child frame `frame_name`, where at most parallel_iterations iterations run at a time."""

def RefExit(data: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Passes `data` to the parent frame."""

def RefIdentity(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same reference."""

def RefMerge(inputs: _Any, name: str | None = None, T: _Any = None, N: _Any = None) -> _Any:
    """Forwards the first live input, and its index; dead only if all inputs are."""

def RefNextIteration(data: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Passes `data` to the next iteration."""

def RefSelect(index: _Any, inputs: _Any, name: str | None = None, T: _Any = None, N: _Any = None) -> Tensor:
    """The reference inputs[index]."""

def RefSwitch(data: _Any, pred: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Forwards `data` to output_true if `pred`, else to output_false; the other output is dead."""

def RegexFullMatch(input: _Any, pattern: _Any, name: str | None = None) -> Tensor:
    """Whether a regular expression matches the whole of each string."""

def RegexReplace(input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: str | None = None) -> Tensor:
    """Strings in which the matches of a regular expression are replaced."""

def Relu(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """max(features, 0)."""

def Relu6(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """min(max(features, 0), 6)."""

def Relu6Grad(gradients: _Any, features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients where 0 < features < 6, else 0."""

def ReluGrad(gradients: _Any, features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients where features > 0, else 0."""

def RepeatDataset(input_dataset: _Any, count: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements of the input, `count` times; below 0: without an end."""

def RequantizationRange(input: _Any, input_min: _Any, input_max: _Any, name: str | None = None, Tinput: _Any = None) -> _Any:
    """The range that quantized numbers have."""

def Requantize(input: _Any, input_min: _Any, input_max: _Any, requested_output_min: _Any, requested_output_max: _Any, out_type: _Any, name: str | None = None, Tinput: _Any = None) -> _Any:
    """Integers of another type and range for the same numbers."""

def Reshape(tensor: _Any, shape: _Any, name: str | None = None, T: _Any = None, Tshape: _Any = None) -> Tensor:
    """Gives the elements another shape; a size of -1 is computed."""

def ResizeArea(images: _Any, size: _Any, align_corners: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Images of another size; a pixel is the mean of the area it covers."""

def ResizeBicubic(images: _Any, size: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Images of another size, interpolated by cubic polynomials."""

def ResizeBicubicGrad(grads: _Any, original_image: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of ResizeBicubic."""

def ResizeBilinear(images: _Any, size: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Images of another size, interpolated linearly."""

def ResizeBilinearGrad(grads: _Any, original_image: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of ResizeBilinear."""

def ResizeNearestNeighbor(images: _Any, size: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Images of another size, each pixel a copy of the nearest one."""

def ResizeNearestNeighborGrad(grads: _Any, size: _Any, align_corners: _Any = False, half_pixel_centers: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of ResizeNearestNeighbor."""

def ResourceAccumulatorApplyGradient(handle: _Any, local_step: _Any, gradient: _Any, name: str | None = None, dtype: _Any = None) -> Operation:
    """Adds a gradient, unless its step is before that of the accumulator."""

def ResourceAccumulatorNumAccumulated(handle: _Any, name: str | None = None) -> Tensor:
    """The number of gradients in the sum."""

def ResourceAccumulatorSetGlobalStep(handle: _Any, new_global_step: _Any, name: str | None = None) -> Operation:
    """Sets the accumulator's step."""

def ResourceAccumulatorTakeGradient(handle: _Any, num_required: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """Waits for so many gradients, returns their mean or sum, and begins the next step."""

def ResourceApplyAdaMax(var: _Any, m: _Any, v: _Any, beta1_power: _Any, lr: _Any, beta1: _Any, beta2: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """m as in ApplyAdam; v = max(beta2 * v, abs(grad)); var -= lr / (1 - beta1_power) * m / (v + epsilon)"""

def ResourceApplyAdadelta(var: _Any, accum: _Any, accum_update: _Any, lr: _Any, rho: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """accum = rho * accum + (1 - rho) * grad ** 2
    update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update
    accum_update = rho * accum_update + (1 - rho) * update ** 2"""

def ResourceApplyAdagrad(var: _Any, accum: _Any, lr: _Any, grad: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None) -> Operation:
    """accum += grad ** 2; var -= lr * grad / sqrt(accum)"""

def ResourceApplyAdagradDA(var: _Any, gradient_accumulator: _Any, gradient_squared_accumulator: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, global_step: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """g += grad; gg += grad ** 2 (the accumulators)
    var = -sign(g) * lr * max(abs(g) - l1 * global_step, 0) / (l2 * global_step * lr + sqrt(gg))"""

def ResourceApplyAdagradV2(var: _Any, accum: _Any, lr: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None) -> Operation:
    """accum += grad ** 2; var -= lr * grad / (sqrt(accum) + epsilon)"""

def ResourceApplyAdam(var: _Any, m: _Any, v: _Any, beta1_power: _Any, beta2_power: _Any, lr: _Any, beta1: _Any, beta2: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power)
    m += (grad - m) * (1 - beta1); v += (grad ** 2 - v) * (1 - beta2)
    var -= lr_t * m / (sqrt(v) + epsilon) (Nesterov: m * beta1 + grad * (1 - beta1) for m)"""

def ResourceApplyAdamWithAmsgrad(var: _Any, m: _Any, v: _Any, vhat: _Any, beta1_power: _Any, beta2_power: _Any, lr: _Any, beta1: _Any, beta2: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """ApplyAdam with vhat, the maximum of all v so far, in place of v in the update of var."""

def ResourceApplyAddSign(var: _Any, m: _Any, lr: _Any, alpha: _Any, sign_decay: _Any, beta: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """m = beta * m + (1 - beta) * grad
    var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad"""

def ResourceApplyCenteredRMSProp(var: _Any, mg: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """ApplyRMSProp with the variance ms - mg ** 2 in place of ms, where mg is the moving average of grad."""

def ResourceApplyFtrl(var: _Any, accum: _Any, linear: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """linear += grad - (accum_new ** -lr_power - accum ** -lr_power) / lr * var; accum_new = accum + grad ** 2
    var = 0 if abs(linear) <= l1 else (sign(linear) * l1 - linear) / (accum_new ** -lr_power / lr + 2 * l2)"""

def ResourceApplyFtrlV2(var: _Any, accum: _Any, linear: _Any, grad: _Any, lr: _Any, l1: _Any, l2: _Any, l2_shrinkage: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """ApplyFtrl, with grad + 2 * l2_shrinkage * var for the first grad."""

def ResourceApplyGradientDescent(var: _Any, alpha: _Any, delta: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """var -= alpha * delta"""

def ResourceApplyKerasMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """accum = accum * momentum - lr * grad; var += accum (Nesterov: var += momentum * accum - lr * grad)"""

def ResourceApplyMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """accum = accum * momentum + grad; var -= lr * accum (Nesterov: lr * (grad + momentum * accum))"""

def ResourceApplyPowerSign(var: _Any, m: _Any, lr: _Any, logbase: _Any, sign_decay: _Any, beta: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """m = beta * m + (1 - beta) * grad
    var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad"""

def ResourceApplyProximalAdagrad(var: _Any, accum: _Any, lr: _Any, l1: _Any, l2: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """accum += grad ** 2; rate = lr / sqrt(accum); v = var - rate * grad
    var = sign(v) / (1 + rate * l2) * max(abs(v) - rate * l1, 0)"""

def ResourceApplyProximalGradientDescent(var: _Any, alpha: _Any, l1: _Any, l2: _Any, delta: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """v = var - alpha * delta; var = sign(v) / (1 + alpha * l2) * max(abs(v) - alpha * l1, 0)"""

def ResourceApplyRMSProp(var: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None) -> Operation:
    """ms += (grad ** 2 - ms) * (1 - rho); mom = mom * momentum + lr * grad / sqrt(ms + epsilon)
    var -= mom"""

def ResourceConditionalAccumulator(dtype: _Any, shape: _Any, container: _Any = b'', shared_name: _Any = b'', reduction_type: _Any = b'MEAN', name: str | None = None) -> Tensor:
    """The handle of an accumulator of gradients, made when it is first needed."""

def ResourceCountUpTo(resource: _Any, limit: _Any, T: _Any, name: str | None = None) -> Tensor:
    """The scalar variable's value before it is incremented; OutOfRangeError once it is `limit`."""

def ResourceGather(resource: _Any, indices: _Any, dtype: _Any, batch_dims: _Any = 0, validate_indices: _Any = True, name: str | None = None, Tindices: _Any = None) -> Tensor:
    """Rows of the variable: output[i..., :] = variable[indices[i...], :]."""

def ResourceGatherNd(resource: _Any, indices: _Any, dtype: _Any, name: str | None = None, Tindices: _Any = None) -> Tensor:
    """output[i..., :] = variable[indices[i..., 0], indices[i..., 1], ..., :]."""

def ResourceScatterAdd(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """Adds to rows; duplicates add up."""

def ResourceScatterDiv(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """Divides rows; duplicates divide again."""

def ResourceScatterMax(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """The maximum of rows and updates."""

def ResourceScatterMin(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """The minimum of rows and updates."""

def ResourceScatterMul(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """Multiplies rows; duplicates multiply."""

def ResourceScatterNdAdd(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """Adds updates to slices; duplicates add up."""

def ResourceScatterNdMax(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """The maximum of slices and updates."""

def ResourceScatterNdMin(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """The minimum of slices and updates."""

def ResourceScatterNdSub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """Subtracts updates from slices."""

def ResourceScatterNdUpdate(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """Sets slices at the positions in indices."""

def ResourceScatterSub(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """Subtracts from rows; duplicates add up."""

def ResourceScatterUpdate(resource: _Any, indices: _Any, updates: _Any, name: str | None = None, dtype: _Any = None, Tindices: _Any = None) -> Operation:
    """Sets rows; the last of duplicates stays."""

def ResourceSparseApplyAdadelta(var: _Any, accum: _Any, accum_update: _Any, lr: _Any, rho: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyAdadelta for rows of var."""

def ResourceSparseApplyAdagrad(var: _Any, accum: _Any, lr: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyAdagrad for rows of var."""

def ResourceSparseApplyAdagradDA(var: _Any, gradient_accumulator: _Any, gradient_squared_accumulator: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, global_step: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyAdagradDA for rows of var."""

def ResourceSparseApplyAdagradV2(var: _Any, accum: _Any, lr: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyAdagradV2 for rows of var."""

def ResourceSparseApplyCenteredRMSProp(var: _Any, mg: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyCenteredRMSProp for rows of var."""

def ResourceSparseApplyFtrl(var: _Any, accum: _Any, linear: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyFtrl for rows of var."""

def ResourceSparseApplyFtrlV2(var: _Any, accum: _Any, linear: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, l2_shrinkage: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyFtrlV2 for rows of var."""

def ResourceSparseApplyKerasMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, indices: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """_ApplyKerasMomentum for the rows of var that indices name."""

def ResourceSparseApplyMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, indices: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyMomentum for the rows of var that indices name."""

def ResourceSparseApplyProximalAdagrad(var: _Any, accum: _Any, lr: _Any, l1: _Any, l2: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyProximalAdagrad for rows of var."""

def ResourceSparseApplyProximalGradientDescent(var: _Any, alpha: _Any, l1: _Any, l2: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyProximalGradientDescent for rows of var."""

def ResourceSparseApplyRMSProp(var: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Operation:
    """ApplyRMSProp for rows of var."""

def ResourceStridedSliceAssign(ref: _Any, begin: _Any, end: _Any, strides: _Any, value: _Any, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, name: str | None = None, T: _Any = None, Index: _Any = None) -> Operation:
    """Assigns `value` to the strided slice of a variable."""

def Restore(file_pattern: _Any, tensor_name: _Any, dt: _Any, preferred_shard: _Any = -1, name: str | None = None) -> Tensor:
    """Reads a tensor from the files of the first format that match a pattern."""

def RestoreSlice(file_pattern: _Any, tensor_name: _Any, shape_and_slice: _Any, dt: _Any, preferred_shard: _Any = -1, name: str | None = None) -> Tensor:
    """Reads a tensor, or a slice of it as for RestoreV2, from files of the first format."""

def RestoreV2(prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, dtypes: _Any, name: str | None = None) -> list[Tensor]:
    """Reads tensors of the checkpoint `prefix`, which may also be one of the first format."""

def Reverse(tensor: _Any, dims: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Reverses the dimensions for which `dims` is true."""

def ReverseSequence(input: _Any, seq_lengths: _Any, seq_dim: _Any, batch_dim: _Any = 0, name: str | None = None, T: _Any = None, Tlen: _Any = None) -> Tensor:
    """Reverses the first seq_lengths[i] elements along seq_dim for each index i of batch_dim."""

def ReverseV2(tensor: _Any, axis: _Any, name: str | None = None, Tidx: _Any = None, T: _Any = None) -> Tensor:
    """Reverses the dimensions listed in `axis`."""

def RewriteDataset(input_dataset: _Any, rewrite_name: _Any, output_types: _Any, output_shapes: _Any, name: str | None = None) -> Tensor:
    """The input: what TensorFlow says here about how to run it has no effect."""

def RightShift(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x shifted by y bits, y clamped to the size of the type."""

def Rint(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def RngReadAndSkip(resource: _Any, alg: _Any, delta: _Any, name: str | None = None) -> Tensor:
    """Returns the generator's state, then advances it past the random numbers that `delta` samples may use."""

def RngSkip(resource: _Any, algorithm: _Any, delta: _Any, name: str | None = None) -> Operation:
    """Advances a generator past the random numbers that `delta` samples may use."""

def Roll(input: _Any, shift: _Any, axis: _Any, name: str | None = None, T: _Any = None, Tshift: _Any = None, Taxis: _Any = None) -> Tensor:
    """Rotates elements along axes; those that leave at the end enter at the start."""

def Round(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Nearest integer, halves to the even one."""

def Rsqrt(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """1 / sqrt(x)."""

def RsqrtGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """dy * -0.5 * y^3: the gradient of y = 1 / sqrt(x)."""

def SampleDistortedBoundingBox(image_size: _Any, bounding_boxes: _Any, seed: _Any = 0, seed2: _Any = 0, min_object_covered: _Any = 0.1, aspect_ratio_range: _Any = [0.75, 1.33], area_range: _Any = [0.05, 1.0], max_attempts: _Any = 100, use_image_if_no_bounding_boxes: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """A random window of an image that has enough of one of its boxes."""

def SampleDistortedBoundingBoxV2(image_size: _Any, bounding_boxes: _Any, min_object_covered: _Any, seed: _Any = 0, seed2: _Any = 0, aspect_ratio_range: _Any = [0.75, 1.33], area_range: _Any = [0.05, 1.0], max_attempts: _Any = 100, use_image_if_no_bounding_boxes: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """A random window of an image that has enough of one of its boxes."""

def Save(filename: _Any, tensor_names: _Any, data: _Any, name: str | None = None, T: _Any = None) -> Operation:
    """Saves tensors in a file of the first format."""

def SaveSlices(filename: _Any, tensor_names: _Any, shapes_and_slices: _Any, data: _Any, name: str | None = None, T: _Any = None) -> Operation:
    """Saves tensors, or slices of them as for SaveV2, in a file of the first format."""

def SaveV2(prefix: _Any, tensor_names: _Any, shape_and_slices: _Any, tensors: _Any, name: str | None = None, dtypes: _Any = None) -> Operation:
    """Saves tensors as the checkpoint `prefix`: it is complete once the operation ends, absent before."""

def ScalarSummary(tags: _Any, values: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A Summary with a number for each tag."""

def ScaleAndTranslate(images: _Any, size: _Any, scale: _Any, translation: _Any, kernel_type: _Any = b'lanczos3', antialias: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """Images of another size: scaled, then moved by pixels; what is outside of the image is 0."""

def ScaleAndTranslateGrad(grads: _Any, original_image: _Any, scale: _Any, translation: _Any, kernel_type: _Any = b'lanczos3', antialias: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """Gradient of ScaleAndTranslate."""

def ScanDataset(input_dataset: _Any, initial_state: _Any, other_arguments: _Any, f: _Any, output_types: _Any, output_shapes: _Any, preserve_cardinality: _Any = False, use_default_device: _Any = True, metadata: _Any = b'', name: str | None = None, Tstate: _Any = None, Targuments: _Any = None) -> Tensor:
    """`f` gets a state and an element, and returns the next state and an element of this dataset."""

def ScatterAdd(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] += updates; duplicates add up."""

def ScatterDiv(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] /= updates; duplicates divide again."""

def ScatterMax(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] = max(ref[indices], updates)."""

def ScatterMin(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] = min(ref[indices], updates)."""

def ScatterMul(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] *= updates; duplicates multiply."""

def ScatterNd(indices: _Any, updates: _Any, shape: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Zeros of `shape` with updates added at indices."""

def ScatterNdAdd(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Adds updates to slices of ref; duplicates add up."""

def ScatterNdMax(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Maximum of slices of ref and updates."""

def ScatterNdMin(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Minimum of slices of ref and updates."""

def ScatterNdSub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Subtracts updates from slices of ref."""

def ScatterNdUpdate(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Sets slices of ref at the positions in indices."""

def ScatterSub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] -= updates; duplicates add up."""

def ScatterUpdate(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ref[indices] = updates; the last of duplicates stays."""

def SdcaFprint(input: _Any, name: str | None = None) -> Tensor:
    """A fingerprint of two words for each string of a vector (FarmHash)."""

def SdcaShrinkL1(weights: _Any, l1: _Any, l2: _Any, name: str | None = None, num_features: _Any = None) -> Operation:
    """Moves each weight by l1 / l2 towards 0, at most to 0."""

def SegmentMax(data: _Any, segment_ids: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Maximum of the rows of each segment; segment_ids must be sorted."""

def SegmentMean(data: _Any, segment_ids: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Mean of the rows of each segment; segment_ids must be sorted."""

def SegmentMin(data: _Any, segment_ids: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Minimum of the rows of each segment; segment_ids must be sorted."""

def SegmentProd(data: _Any, segment_ids: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Product of the rows of each segment; segment_ids must be sorted."""

def SegmentSum(data: _Any, segment_ids: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """Sum of the rows of each segment; segment_ids must be sorted."""

def Select(condition: _Any, x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """t where condition, else e. condition has the shape of t, or is a scalar or a vector that chooses rows."""

def SelectV2(condition: _Any, t: _Any, e: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """t where condition, else e; all three broadcast."""

def SelfAdjointEig(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Eigenvalues in ascending order, and eigenvectors of self-adjoint matrices; reads their lower triangles."""

def SelfAdjointEigV2(input: _Any, compute_v: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """Eigenvalues in ascending order, and eigenvectors of self-adjoint matrices; reads their lower triangles."""

def Selu(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Scaled elu: scale * (features where positive, else alpha * (exp(features) - 1))."""

def SeluGrad(gradients: _Any, outputs: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The gradient of Selu from its outputs."""

def SerializeIterator(resource_handle: _Any, external_state_policy: _Any = 0, name: str | None = None) -> Tensor:
    """The position of an iterator, for DeserializeIterator. The policy has no effect."""

def SerializeManySparse(sparse_indices: _Any, sparse_values: _Any, sparse_shape: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """The rows of a sparse tensor as three strings each."""

def SerializeSparse(sparse_indices: _Any, sparse_values: _Any, sparse_shape: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """A sparse tensor as three strings."""

def SerializeTensor(tensor: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A tensor as a serialized message TensorProto."""

def SetSize(set_indices: _Any, set_values: _Any, set_shape: _Any, validate_indices: _Any = True, name: str | None = None, T: _Any = None) -> Tensor:
    """How many different values each row of a sparse tensor has."""

def Shape(input: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """The shape of a tensor, as a vector."""

def ShapeN(input: _Any, out_type: _Any = ..., name: str | None = None, N: _Any = None, T: _Any = None) -> list[Tensor]:
    """The shapes of several tensors."""

def ShardDataset(input_dataset: _Any, num_shards: _Any, index: _Any, output_types: _Any, output_shapes: _Any, require_non_empty: _Any = False, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements whose number, counted from 0, leaves the rest `index` when divided by `num_shards`."""

def ShardedFilename(basename: _Any, shard: _Any, num_shards: _Any, name: str | None = None) -> Tensor:
    """The name of one part of several, such as basename-00000-of-00002."""

def ShardedFilespec(basename: _Any, num_shards: _Any, name: str | None = None) -> Tensor:
    """A pattern that matches the names of all parts, such as basename-?????-of-00002."""

def ShuffleAndRepeatDataset(input_dataset: _Any, buffer_size: _Any, seed: _Any, seed2: _Any, count: _Any, output_types: _Any, output_shapes: _Any, reshuffle_each_iteration: _Any = True, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements in random order, `count` times (-1: without an end): the buffer is full also while one pass ends and the next one begins."""

def ShuffleAndRepeatDatasetV2(input_dataset: _Any, buffer_size: _Any, seed: _Any, seed2: _Any, count: _Any, seed_generator: _Any, output_types: _Any, output_shapes: _Any, reshuffle_each_iteration: _Any = True, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """ShuffleAndRepeatDataset whose seeds are not shared: the generator is that of DummySeedGenerator."""

def ShuffleDataset(input_dataset: _Any, buffer_size: _Any, seed: _Any, seed2: _Any, output_types: _Any, output_shapes: _Any, reshuffle_each_iteration: _Any = True, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements in random order: each is taken from a buffer of the next `buffer_size` elements."""

def ShuffleDatasetV3(input_dataset: _Any, buffer_size: _Any, seed: _Any, seed2: _Any, seed_generator: _Any, output_types: _Any, output_shapes: _Any, reshuffle_each_iteration: _Any = True, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """ShuffleDataset whose seeds are not shared: the generator is that of DummySeedGenerator."""

def Sigmoid(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """1 / (1 + exp(-x))."""

def SigmoidGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """dy * y * (1 - y): the gradient of y = sigmoid(x)."""

def Sign(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN; x / |x| for complex numbers."""

def Sin(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Sine."""

def Sinh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Hyperbolic sine."""

def Size(input: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """The number of elements."""

def SkipDataset(input_dataset: _Any, count: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """All but the first `count` elements; below 0: none."""

def Slice(input: _Any, begin: _Any, size: _Any, name: str | None = None, T: _Any = None, Index: _Any = None) -> Tensor:
    """The box of `size` elements that starts at `begin`; a size of -1 goes to the end."""

def Snapshot(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The value that the input has when this op runs."""

def Softmax(logits: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """exp(logits) / sum(exp(logits)) along the last dimension."""

def SoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Cross entropy of each row's softmax with its labels, and its gradient by the logits `features`."""

def Softplus(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """log(exp(features) + 1)."""

def SoftplusGrad(gradients: _Any, features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients / (exp(-features) + 1)."""

def Softsign(features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """features / (|features| + 1)."""

def SoftsignGrad(gradients: _Any, features: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """gradients / (1 + |features|)^2."""

def SpaceToBatch(input: _Any, paddings: _Any, block_size: _Any, name: str | None = None, T: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """SpaceToBatchND for images and square blocks."""

def SpaceToBatchND(input: _Any, block_shape: _Any, paddings: _Any, name: str | None = None, T: _Any = None, Tblock_shape: _Any = None, Tpaddings: _Any = None) -> Tensor:
    """Pads with zeros, then moves the positions within each block into the batch dimension."""

def SpaceToDepth(input: _Any, block_size: _Any, data_format: _Any = b'NHWC', name: str | None = None, T: _Any = None) -> Tensor:
    """Moves blocks of block_size x block_size pixels into the channels."""

def SparseAccumulatorApplyGradient(handle: _Any, local_step: _Any, gradient_indices: _Any, gradient_values: _Any, gradient_shape: _Any, has_known_shape: _Any, name: str | None = None, dtype: _Any = None) -> Operation:
    """Adds rows of a gradient, unless its step is before that of the accumulator."""

def SparseAccumulatorTakeGradient(handle: _Any, num_required: _Any, dtype: _Any, name: str | None = None) -> _Any:
    """Waits for so many gradients, returns the sum of each row or its mean over the gradients that have it, and begins the next step."""

def SparseAdd(a_indices: _Any, a_values: _Any, a_shape: _Any, b_indices: _Any, b_values: _Any, b_shape: _Any, thresh: _Any, name: str | None = None, T: _Any = None, Treal: _Any = None) -> _Any:
    """The sum of two sparse tensors; sums whose magnitude is below `thresh` are left out."""

def SparseAddGrad(backprop_val_grad: _Any, a_indices: _Any, b_indices: _Any, sum_indices: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The gradients of both operands of SparseAdd."""

def SparseApplyAdadelta(var: _Any, accum: _Any, accum_update: _Any, lr: _Any, rho: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyAdadelta for rows of var."""

def SparseApplyAdagrad(var: _Any, accum: _Any, lr: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyAdagrad for rows of var."""

def SparseApplyAdagradDA(var: _Any, gradient_accumulator: _Any, gradient_squared_accumulator: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, global_step: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyAdagradDA for rows of var."""

def SparseApplyAdagradV2(var: _Any, accum: _Any, lr: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, update_slots: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyAdagradV2 for rows of var."""

def SparseApplyCenteredRMSProp(var: _Any, mg: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyCenteredRMSProp for rows of var."""

def SparseApplyFtrl(var: _Any, accum: _Any, linear: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyFtrl for rows of var."""

def SparseApplyFtrlV2(var: _Any, accum: _Any, linear: _Any, grad: _Any, indices: _Any, lr: _Any, l1: _Any, l2: _Any, l2_shrinkage: _Any, lr_power: _Any, use_locking: _Any = False, multiply_linear_by_lr: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyFtrlV2 for rows of var."""

def SparseApplyMomentum(var: _Any, accum: _Any, lr: _Any, grad: _Any, indices: _Any, momentum: _Any, use_locking: _Any = False, use_nesterov: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyMomentum for the rows of var that indices name."""

def SparseApplyProximalAdagrad(var: _Any, accum: _Any, lr: _Any, l1: _Any, l2: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyProximalAdagrad for rows of var."""

def SparseApplyProximalGradientDescent(var: _Any, alpha: _Any, l1: _Any, l2: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyProximalGradientDescent for rows of var."""

def SparseApplyRMSProp(var: _Any, ms: _Any, mom: _Any, lr: _Any, rho: _Any, momentum: _Any, epsilon: _Any, grad: _Any, indices: _Any, use_locking: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """ApplyRMSProp for rows of var."""

def SparseBincount(indices: _Any, values: _Any, dense_shape: _Any, size: _Any, weights: _Any, binary_output: _Any = False, name: str | None = None, Tidx: _Any = None, T: _Any = None) -> Tensor:
    """The count, or total weight, of each number below `size` among the values of a sparse tensor, by row."""

def SparseConcat(indices: _Any, values: _Any, shapes: _Any, concat_dim: _Any, name: str | None = None, N: _Any = None, T: _Any = None) -> _Any:
    """Sparse tensors joined along a dimension, in row-major order."""

def SparseConditionalAccumulator(dtype: _Any, shape: _Any, container: _Any = b'', shared_name: _Any = b'', reduction_type: _Any = b'MEAN', name: str | None = None) -> Tensor:
    """The handle of an accumulator of sparse gradients, made when it is first needed."""

def SparseCountSparseOutput(indices: _Any, values: _Any, dense_shape: _Any, weights: _Any, binary_output: _Any, minlength: _Any = -1, maxlength: _Any = -1, name: str | None = None, T: _Any = None, output_type: _Any = None) -> _Any:
    """The counts, or total weights, of the values of a sparse tensor, by row, as a sparse tensor."""

def SparseCross(indices: _Any, values: _Any, shapes: _Any, dense_inputs: _Any, hashed_output: _Any, num_buckets: _Any, hash_key: _Any, out_type: _Any, internal_type: _Any, name: str | None = None, N: _Any = None, sparse_types: _Any = None, dense_types: _Any = None) -> _Any:
    """All combinations of the values of sparse and dense matrices, row by row, hashed or joined by _X_."""

def SparseCrossHashed(indices: _Any, values: _Any, shapes: _Any, dense_inputs: _Any, num_buckets: _Any, strong_hash: _Any, salt: _Any, name: str | None = None, N: _Any = None, sparse_types: _Any = None, dense_types: _Any = None) -> _Any:
    """The hash values of all combinations of the values of sparse and dense matrices, row by row."""

def SparseCrossV2(indices: _Any, values: _Any, shapes: _Any, dense_inputs: _Any, sep: _Any, name: str | None = None, N: _Any = None, sparse_types: _Any = None, dense_types: _Any = None) -> _Any:
    """All combinations of the values of sparse and dense matrices, row by row, joined by a separator."""

def SparseDenseCwiseAdd(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The sum of a sparse tensor's elements and the dense ones at their places; the dense tensor is broadcast."""

def SparseDenseCwiseDiv(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The quotient of a sparse tensor's elements and the dense ones at their places; the dense tensor is broadcast."""

def SparseDenseCwiseMul(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, dense: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The product of a sparse tensor's elements and the dense ones at their places; the dense tensor is broadcast."""

def SparseFillEmptyRows(indices: _Any, values: _Any, dense_shape: _Any, default_value: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """A sparse tensor whose empty rows get an element, and the new places of the old ones."""

def SparseFillEmptyRowsGrad(reverse_index_map: _Any, grad_values: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The gradients of the values and of the default value of SparseFillEmptyRows."""

def SparseMatMul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, name: str | None = None, Ta: _Any = None, Tb: _Any = None) -> Tensor:
    """The product of two matrices that may have many zeros."""

def SparseReduceMax(input_indices: _Any, input_values: _Any, input_shape: _Any, reduction_axes: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """The greatest of a sparse tensor's elements along axes; 0 where it has none."""

def SparseReduceMaxSparse(input_indices: _Any, input_values: _Any, input_shape: _Any, reduction_axes: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """The greatest of a sparse tensor's elements along axes, as a sparse tensor."""

def SparseReduceSum(input_indices: _Any, input_values: _Any, input_shape: _Any, reduction_axes: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """The sum of a sparse tensor's elements along axes; 0 where it has none."""

def SparseReduceSumSparse(input_indices: _Any, input_values: _Any, input_shape: _Any, reduction_axes: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """The sum of a sparse tensor's elements along axes, as a sparse tensor."""

def SparseReorder(input_indices: _Any, input_values: _Any, input_shape: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The elements of a sparse tensor in row-major order."""

def SparseReshape(input_indices: _Any, input_shape: _Any, new_shape: _Any, name: str | None = None) -> _Any:
    """The indices of a sparse tensor's elements after a reshape; one size may be -1."""

def SparseSegmentMean(data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """Mean of the rows of `data` that `indices` names for each segment."""

def SparseSegmentMeanGrad(grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """The gradient of SparseSegmentMean for its data."""

def SparseSegmentMeanWithNumSegments(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Mean of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSqrtN(data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """Sum, divided by the square root of the number, of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSqrtNGrad(grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """The gradient of SparseSegmentSqrtN for its data."""

def SparseSegmentSqrtNWithNumSegments(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Sum, divided by the square root of the number, of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSum(data: _Any, indices: _Any, segment_ids: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """Sum of the rows of `data` that `indices` names for each segment."""

def SparseSegmentSumGrad(grad: _Any, indices: _Any, segment_ids: _Any, output_dim0: _Any, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None) -> Tensor:
    """The gradient of SparseSegmentSum for its data."""

def SparseSegmentSumWithNumSegments(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any, sparse_gradient: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None, Tsegmentids: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Sum of the rows of `data` that `indices` names for each segment."""

def SparseSlice(indices: _Any, values: _Any, shape: _Any, start: _Any, size: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The part of a sparse tensor from `start` on, of at most `size`."""

def SparseSliceGrad(backprop_val_grad: _Any, input_indices: _Any, input_start: _Any, output_indices: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The gradient of the values of SparseSlice: 0 for elements outside of the slice."""

def SparseSoftmax(sp_indices: _Any, sp_values: _Any, sp_shape: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Softmax along the last dimension, over the elements that each row has."""

def SparseSoftmaxCrossEntropyWithLogits(features: _Any, labels: _Any, name: str | None = None, T: _Any = None, Tlabels: _Any = None) -> _Any:
    """Like SoftmaxCrossEntropyWithLogits for labels that are class numbers."""

def SparseSparseMaximum(a_indices: _Any, a_values: _Any, a_shape: _Any, b_indices: _Any, b_values: _Any, b_shape: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The maximum of two sparse tensors; what only one of them has is compared with 0."""

def SparseSparseMinimum(a_indices: _Any, a_values: _Any, a_shape: _Any, b_indices: _Any, b_values: _Any, b_shape: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """The minimum of two sparse tensors; what only one of them has is compared with 0."""

def SparseSplit(split_dim: _Any, indices: _Any, values: _Any, shape: _Any, num_split: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Parts of a sparse tensor along a dimension; the first ones are larger by one if it cannot be divided."""

def SparseTensorDenseAdd(a_indices: _Any, a_values: _Any, a_shape: _Any, b: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """The sum of a sparse and a dense tensor, dense."""

def SparseTensorDenseMatMul(a_indices: _Any, a_values: _Any, a_shape: _Any, b: _Any, adjoint_a: _Any = False, adjoint_b: _Any = False, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """The product of a sparse and a dense matrix, or of their adjoints."""

def SparseTensorSliceDataset(indices: _Any, values: _Any, dense_shape: _Any, name: str | None = None, Tvalues: _Any = None) -> Tensor:
    """The rows of a sparse tensor, each as indices, values and a dense shape."""

def SparseToDense(sparse_indices: _Any, output_shape: _Any, sparse_values: _Any, default_value: _Any, validate_indices: _Any = True, name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """`default_value` everywhere but at the indices, where `sparse_values` are."""

def SparseToSparseSetOperation(set1_indices: _Any, set1_values: _Any, set1_shape: _Any, set2_indices: _Any, set2_values: _Any, set2_shape: _Any, set_operation: _Any, validate_indices: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """DenseToDenseSetOperation, where both tensors are sparse."""

def Spence(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Spence's integral of log(t) / (1 - t) from 1 to x, for x >= 0."""

def Split(axis: _Any, value: _Any, num_split: _Any, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """Cuts a tensor into equal pieces along a dimension."""

def SplitV(value: _Any, size_splits: _Any, axis: _Any, num_split: _Any, name: str | None = None, T: _Any = None, Tlen: _Any = None) -> list[Tensor]:
    """Cuts a tensor into pieces of the given sizes along a dimension; one size may be -1."""

def Sqrt(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Square root."""

def SqrtGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """dy * 0.5 / y: the gradient of y = sqrt(x)."""

def Square(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x * x."""

def SquaredDifference(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """(x - y)(x - y)"""

def Squeeze(input: _Any, axis: _Any = [], name: str | None = None, T: _Any = None) -> Tensor:
    """Removes dimensions of size 1: those of `squeeze_dims`, or all."""

def Stack(elem_type: _Any, stack_name: _Any = b'', name: str | None = None) -> Tensor:
    """A new stack for tensors of one type, of at most `max_size` of them if that is not negative."""

def StackClose(handle: _Any, name: str | None = None) -> Operation:
    """Drops the values of a stack; using it afterwards is an error."""

def StackCloseV2(handle: _Any, name: str | None = None) -> Operation:
    """Drops the values of a stack; using it afterwards is an error."""

def StackPop(handle: _Any, elem_type: _Any, name: str | None = None) -> Tensor:
    """Removes and returns the last pushed value."""

def StackPopV2(handle: _Any, elem_type: _Any, name: str | None = None) -> Tensor:
    """Removes and returns the last pushed value."""

def StackPush(handle: _Any, elem: _Any, swap_memory: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Pushes `elem` on a stack and returns it. With swap_memory it may wait outside of memory for its pop."""

def StackPushV2(handle: _Any, elem: _Any, swap_memory: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """Pushes `elem` on a stack and returns it. With swap_memory it may wait outside of memory for its pop."""

def StackV2(max_size: _Any, elem_type: _Any, stack_name: _Any = b'', name: str | None = None) -> Tensor:
    """A new stack for tensors of one type, of at most `max_size` of them if that is not negative."""

def Stage(values: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None, dtypes: _Any = None) -> Operation:
    """Puts a tuple of tensors into a staging area; waits while it is full."""

def StageClear(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Operation:
    """Removes all tuples."""

def StagePeek(index: _Any, dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Returns the tuple at an index; waits until there is one."""

def StageSize(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The number of tuples."""

def StatefulPartitionedCall(args: _Any, Tout: _Any, f: _Any, config: _Any = b'', config_proto: _Any = b'', executor_type: _Any = b'', name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """Calls function `f`. Its operations are placed individually, as in all calls."""

def StatelessCase(branch_index: _Any, input: _Any, Tout: _Any, branches: _Any, output_shapes: _Any = [], name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """The result of branch number branch_index for `input`; of the last one if there is no such branch."""

def StatelessIf(cond: _Any, input: _Any, Tout: _Any, then_branch: _Any, else_branch: _Any, output_shapes: _Any = [], name: str | None = None, Tcond: _Any = None, Tin: _Any = None) -> list[Tensor]:
    """The result of then_branch, or of else_branch if `cond` is false, for `input`."""

def StatelessMultinomial(logits: _Any, num_samples: _Any, seed: _Any, output_dtype: _Any = ..., name: str | None = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Like Multinomial, a function of `seed` alone."""

def StatelessParameterizedTruncatedNormal(shape: _Any, seed: _Any, means: _Any, stddevs: _Any, minvals: _Any, maxvals: _Any, name: str | None = None, S: _Any = None, Tseed: _Any = None, dtype: _Any = None) -> Tensor:
    """ParameterizedTruncatedNormal, a function of `seed` alone; parameters broadcast with each other."""

def StatelessRandomBinomial(shape: _Any, seed: _Any, counts: _Any, probs: _Any, dtype: _Any = ..., name: str | None = None, S: _Any = None, Tseed: _Any = None, T: _Any = None) -> Tensor:
    """Numbers of successes in `counts` trials, a function of `seed` alone; `shape` ends with the parameters' shape."""

def StatelessRandomGammaV2(shape: _Any, seed: _Any, alpha: _Any, name: str | None = None, dtype: _Any = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """RandomGamma, a function of `seed` alone; `shape` ends with the shape of `alpha`."""

def StatelessRandomGammaV3(shape: _Any, key: _Any, counter: _Any, alg: _Any, alpha: _Any, name: str | None = None, dtype: _Any = None, shape_dtype: _Any = None) -> Tensor:
    """StatelessRandomGammaV2, a function of key and counter."""

def StatelessRandomGetAlg(name: str | None = None) -> Tensor:
    """The number of the algorithm of stateless ops: 1, Philox."""

def StatelessRandomGetKeyCounter(seed: _Any, name: str | None = None, Tseed: _Any = None) -> _Any:
    """The key and the counter that stateless ops make of a seed."""

def StatelessRandomGetKeyCounterAlg(seed: _Any, name: str | None = None, Tseed: _Any = None) -> _Any:
    """The key and the counter that stateless ops make of a seed, and the number of the algorithm."""

def StatelessRandomNormal(shape: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Like RandomStandardNormal, a function of `seed` alone."""

def StatelessRandomNormalV2(shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: str | None = None, Tshape: _Any = None) -> Tensor:
    """StatelessRandomNormal, a function of key and counter."""

def StatelessRandomPoisson(shape: _Any, seed: _Any, lam: _Any, dtype: _Any, name: str | None = None, Rtype: _Any = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """RandomPoissonV2, a function of `seed` alone; `shape` ends with the shape of `lam`."""

def StatelessRandomUniform(shape: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Like RandomUniform, a function of `seed` alone."""

def StatelessRandomUniformFullInt(shape: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Integers of shape `shape`, uniform over all of their type, a function of `seed` alone."""

def StatelessRandomUniformFullIntV2(shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: str | None = None, Tshape: _Any = None) -> Tensor:
    """Integers of shape `shape`, uniform over all of their type, a function of key and counter."""

def StatelessRandomUniformInt(shape: _Any, seed: _Any, minval: _Any, maxval: _Any, name: str | None = None, dtype: _Any = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Like RandomUniformInt, a function of `seed` alone."""

def StatelessRandomUniformIntV2(shape: _Any, key: _Any, counter: _Any, alg: _Any, minval: _Any, maxval: _Any, name: str | None = None, dtype: _Any = None, Tshape: _Any = None) -> Tensor:
    """StatelessRandomUniformInt, a function of key and counter."""

def StatelessRandomUniformV2(shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: str | None = None, Tshape: _Any = None) -> Tensor:
    """StatelessRandomUniform, a function of key and counter."""

def StatelessSampleDistortedBoundingBox(image_size: _Any, bounding_boxes: _Any, min_object_covered: _Any, seed: _Any, aspect_ratio_range: _Any = [0.75, 1.33], area_range: _Any = [0.05, 1.0], max_attempts: _Any = 100, use_image_if_no_bounding_boxes: _Any = False, name: str | None = None, T: _Any = None, Tseed: _Any = None) -> _Any:
    """A random window of an image that has enough of one of its boxes."""

def StatelessShuffle(value: _Any, key: _Any, counter: _Any, alg: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The rows of a tensor in random order, a function of key and counter."""

def StatelessTruncatedNormal(shape: _Any, seed: _Any, dtype: _Any = ..., name: str | None = None, T: _Any = None, Tseed: _Any = None) -> Tensor:
    """Like TruncatedNormal, a function of `seed` alone."""

def StatelessTruncatedNormalV2(shape: _Any, key: _Any, counter: _Any, alg: _Any, dtype: _Any = ..., name: str | None = None, Tshape: _Any = None) -> Tensor:
    """StatelessTruncatedNormal, a function of key and counter."""

def StatelessWhile(input: _Any, cond: _Any, body: _Any, output_shapes: _Any = [], parallel_iterations: _Any = 10, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """Replaces its values by the results of `body` for them while `cond` of them is true."""

def StaticRegexFullMatch(input: _Any, pattern: _Any, name: str | None = None) -> Tensor:
    """Whether a constant regular expression matches the whole of each string."""

def StaticRegexReplace(input: _Any, pattern: _Any, rewrite: _Any, replace_global: _Any = True, name: str | None = None) -> Tensor:
    """Strings in which the matches of a constant regular expression are replaced."""

def StopGradient(input: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The same value; gradients don't flow through it."""

def StridedSlice(input: _Any, begin: _Any, end: _Any, strides: _Any, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, name: str | None = None, T: _Any = None, Index: _Any = None) -> Tensor:
    """x[begin:end:strides, ...]; bits of the masks say which entries are open, `...`, new or single indices."""

def StridedSliceAssign(ref: _Any, begin: _Any, end: _Any, strides: _Any, value: _Any, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, name: str | None = None, T: _Any = None, Index: _Any = None) -> Tensor:
    """Assigns `value` to the strided slice of a variable."""

def StridedSliceGrad(shape: _Any, begin: _Any, end: _Any, strides: _Any, dy: _Any, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, name: str | None = None, T: _Any = None, Index: _Any = None) -> Tensor:
    """Zeros of `shape` with `dy` in place of the strided slice."""

def StringFormat(inputs: _Any, template: _Any = b'%s', placeholder: _Any = b'%s', summarize: _Any = 3, name: str | None = None, T: _Any = None) -> Tensor:
    """The template with each placeholder replaced by an input, its first and last elements."""

def StringJoin(inputs: _Any, separator: _Any = b'', name: str | None = None, N: _Any = None) -> Tensor:
    """Joins strings element by element; a scalar is joined to every element."""

def StringLength(input: _Any, unit: _Any = b'BYTE', name: str | None = None) -> Tensor:
    """The number of bytes or characters in each string."""

def StringLower(input: _Any, encoding: _Any = b'', name: str | None = None) -> Tensor:
    """Strings with ASCII capitals replaced by small letters."""

def StringNGrams(data: _Any, data_splits: _Any, separator: _Any, ngram_widths: _Any, left_pad: _Any, right_pad: _Any, pad_width: _Any, preserve_short_sequences: _Any, name: str | None = None, Tsplits: _Any = None) -> _Any:
    """All sequences of some numbers of words in the rows of a ragged tensor, joined by `separator`."""

def StringSplit(input: _Any, delimiter: _Any, skip_empty: _Any = True, name: str | None = None) -> _Any:
    """The pieces of strings between the bytes of a delimiter, as rows of a sparse matrix."""

def StringSplitV2(input: _Any, sep: _Any, maxsplit: _Any = -1, name: str | None = None) -> _Any:
    """The pieces of strings between separators or, without one, white space, as rows of a sparse matrix."""

def StringStrip(input: _Any, name: str | None = None) -> Tensor:
    """Strings without the white space at both ends."""

def StringToHashBucket(string_tensor: _Any, num_buckets: _Any, name: str | None = None) -> Tensor:
    """The hash values of strings (MurmurHash64A) modulo num_buckets."""

def StringToHashBucketFast(input: _Any, num_buckets: _Any, name: str | None = None) -> Tensor:
    """The fingerprints of strings (FarmHash) modulo num_buckets."""

def StringToHashBucketStrong(input: _Any, num_buckets: _Any, key: _Any, name: str | None = None) -> Tensor:
    """The keyed hash values of strings (SipHash) modulo num_buckets."""

def StringToNumber(string_tensor: _Any, out_type: _Any = ..., name: str | None = None) -> Tensor:
    """The numbers that strings spell."""

def StringUpper(input: _Any, encoding: _Any = b'', name: str | None = None) -> Tensor:
    """Strings with small ASCII letters replaced by capitals."""

def Sub(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x - y."""

def Substr(input: _Any, pos: _Any, len: _Any, unit: _Any = b'BYTE', name: str | None = None, T: _Any = None) -> Tensor:
    """Up to len bytes or characters of each string from pos on; a negative pos counts from the end."""

def Sum(input: _Any, axis: _Any, keep_dims: _Any = False, name: str | None = None, T: _Any = None, Tidx: _Any = None) -> Tensor:
    """Sum along axes; 0 of nothing."""

def Svd(input: _Any, compute_uv: _Any = True, full_matrices: _Any = False, name: str | None = None, T: _Any = None) -> _Any:
    """Singular value decompositions: input = u diag(s) adjoint(v)."""

def Switch(data: _Any, pred: _Any, name: str | None = None, T: _Any = None) -> _Any:
    """Forwards `data` to output_true if `pred`, else to output_false; the other output is dead."""

def SymbolicGradient(input: _Any, Tout: _Any, f: _Any, name: str | None = None, Tin: _Any = None) -> list[Tensor]:
    """The gradients of the inputs of function `f`, given its inputs and the gradients of its outputs."""

def TFRecordDataset(filenames: _Any, compression_type: _Any, buffer_size: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The records of files in TensorFlow's format."""

def TFRecordReader(container: _Any = b'', shared_name: _Any = b'', compression_type: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. It reads files of TensorFlow's records."""

def TFRecordReaderV2(container: _Any = b'', shared_name: _Any = b'', compression_type: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. It reads files of TensorFlow's records."""

def TakeDataset(input_dataset: _Any, count: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The first `count` elements; below 0: all."""

def TakeManySparseFromTensorsMap(sparse_handles: _Any, dtype: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> _Any:
    """Takes sparse tensors out of a map and makes one of them, whose rows they are."""

def TakeWhileDataset(input_dataset: _Any, other_arguments: _Any, predicate: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Targuments: _Any = None) -> Tensor:
    """The elements up to, but without, the first for which `predicate` returns false."""

def Tan(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Tangent."""

def Tanh(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Hyperbolic tangent."""

def TanhGrad(y: _Any, dy: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """dy * (1 - y * y): the gradient of y = tanh(x)."""

def TensorArray(size: _Any, dtype: _Any, dynamic_size: _Any = False, clear_after_read: _Any = True, tensor_array_name: _Any = b'', element_shape: _Any = None, name: str | None = None) -> Tensor:
    """TensorArrayV3 for handles as they were before."""

def TensorArrayClose(handle: _Any, name: str | None = None) -> Operation:
    """TensorArrayCloseV3 for handles as they were before."""

def TensorArrayCloseV2(handle: _Any, name: str | None = None) -> Operation:
    """TensorArrayCloseV3 for handles as they were before."""

def TensorArrayCloseV3(handle: _Any, name: str | None = None) -> Operation:
    """Forgets all elements; the array can't be used any more."""

def TensorArrayConcat(handle: _Any, flow_in: _Any, dtype: _Any, element_shape_except0: _Any = None, name: str | None = None) -> _Any:
    """TensorArrayConcatV3 for handles as they were before."""

def TensorArrayConcatV2(handle: _Any, flow_in: _Any, dtype: _Any, element_shape_except0: _Any = None, name: str | None = None) -> _Any:
    """TensorArrayConcatV3 for handles as they were before."""

def TensorArrayConcatV3(handle: _Any, flow_in: _Any, dtype: _Any, element_shape_except0: _Any = None, name: str | None = None) -> _Any:
    """Reads all elements, joined along their first dimensions, which may differ: `lengths`."""

def TensorArrayGather(handle: _Any, indices: _Any, flow_in: _Any, dtype: _Any, element_shape: _Any = None, name: str | None = None) -> Tensor:
    """TensorArrayGatherV3 for handles as they were before."""

def TensorArrayGatherV2(handle: _Any, indices: _Any, flow_in: _Any, dtype: _Any, element_shape: _Any = None, name: str | None = None) -> Tensor:
    """TensorArrayGatherV3 for handles as they were before."""

def TensorArrayGatherV3(handle: _Any, indices: _Any, flow_in: _Any, dtype: _Any, element_shape: _Any = None, name: str | None = None) -> Tensor:
    """Reads the elements at `indices`, all of one shape, as the rows of one tensor."""

def TensorArrayGrad(handle: _Any, flow_in: _Any, source: _Any, name: str | None = None) -> Tensor:
    """TensorArrayGradV3 for handles as they were before."""

def TensorArrayGradV2(handle: _Any, flow_in: _Any, source: _Any, name: str | None = None) -> Tensor:
    """TensorArrayGradV3 for handles as they were before."""

def TensorArrayGradV3(handle: _Any, flow_in: _Any, source: _Any, name: str | None = None) -> _Any:
    """The gradient array named `source` of an array, made at the first request, with the size that the array has by
    then (and keeps), zero where the array was written. What is written to one of its elements twice is added."""

def TensorArrayGradWithShape(handle: _Any, flow_in: _Any, shape_to_prepend: _Any, source: _Any, name: str | None = None) -> _Any:
    """TensorArrayGradV3 whose elements have further dimensions in front of those of the array's."""

def TensorArrayPack(handle: _Any, flow_in: _Any, dtype: _Any, element_shape: _Any = None, name: str | None = None) -> Tensor:
    """All elements as the rows of one tensor."""

def TensorArrayRead(handle: _Any, index: _Any, flow_in: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """TensorArrayReadV3 for handles as they were before."""

def TensorArrayReadV2(handle: _Any, index: _Any, flow_in: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """TensorArrayReadV3 for handles as they were before."""

def TensorArrayReadV3(handle: _Any, index: _Any, flow_in: _Any, dtype: _Any, name: str | None = None) -> Tensor:
    """Reads an element, and frees it if the array clears after reading. Unwritten ones of known shape are zeros."""

def TensorArrayScatter(handle: _Any, indices: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArrayScatterV3 for handles as they were before."""

def TensorArrayScatterV2(handle: _Any, indices: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArrayScatterV3 for handles as they were before."""

def TensorArrayScatterV3(handle: _Any, indices: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Writes the rows of `value` to the elements at `indices`. They stay views of it."""

def TensorArraySize(handle: _Any, flow_in: _Any, name: str | None = None) -> Tensor:
    """TensorArraySizeV3 for handles as they were before."""

def TensorArraySizeV2(handle: _Any, flow_in: _Any, name: str | None = None) -> Tensor:
    """TensorArraySizeV3 for handles as they were before."""

def TensorArraySizeV3(handle: _Any, flow_in: _Any, name: str | None = None) -> Tensor:
    """The number of elements now."""

def TensorArraySplit(handle: _Any, value: _Any, lengths: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArraySplitV3 for handles as they were before."""

def TensorArraySplitV2(handle: _Any, value: _Any, lengths: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArraySplitV3 for handles as they were before."""

def TensorArraySplitV3(handle: _Any, value: _Any, lengths: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Writes `value`, cut along its first dimension into pieces of these lengths, to the elements in order."""

def TensorArrayUnpack(handle: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Writes the rows of `value` to the elements in order."""

def TensorArrayV2(size: _Any, dtype: _Any, element_shape: _Any = None, dynamic_size: _Any = False, clear_after_read: _Any = True, tensor_array_name: _Any = b'', name: str | None = None) -> Tensor:
    """TensorArrayV3 for handles as they were before."""

def TensorArrayV3(size: _Any, dtype: _Any, element_shape: _Any = None, dynamic_size: _Any = False, clear_after_read: _Any = True, identical_element_shapes: _Any = False, tensor_array_name: _Any = b'', name: str | None = None) -> _Any:
    """Makes an array of `size` unwritten elements; it lives as long as something refers to its handle."""

def TensorArrayWrite(handle: _Any, index: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArrayWriteV3 for handles as they were before."""

def TensorArrayWriteV2(handle: _Any, index: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """TensorArrayWriteV3 for handles as they were before."""

def TensorArrayWriteV3(handle: _Any, index: _Any, value: _Any, flow_in: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Writes an element, which shares the memory of `value`. Each may be written once."""

def TensorDataset(components: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, Toutput_types: _Any = None) -> Tensor:
    """One element: the components."""

def TensorListConcat(input_handle: _Any, element_dtype: _Any, element_shape: _Any = None, name: str | None = None) -> _Any:
    """The elements of a list, joined along their first dimensions, which may differ: `lengths`."""

def TensorListConcatLists(input_a: _Any, input_b: _Any, element_dtype: _Any, name: str | None = None) -> Tensor:
    """A list with the elements of a list, and after them those of another one; or several such lists."""

def TensorListConcatV2(input_handle: _Any, element_shape: _Any, leading_dims: _Any, element_dtype: _Any, name: str | None = None, shape_type: _Any = None) -> _Any:
    """The elements of a list, joined along their first dimensions, which may differ: `lengths`. `leading_dims` has
    those of elements without values, which are zeros."""

def TensorListElementShape(input_handle: _Any, shape_type: _Any, name: str | None = None) -> Tensor:
    """The shape that the elements of a list must have, with -1 for what is unknown; -1 if nothing is known."""

def TensorListFromTensor(tensor: _Any, element_shape: _Any, name: str | None = None, element_dtype: _Any = None, shape_type: _Any = None) -> Tensor:
    """A list of the rows of a tensor, which stay views of it."""

def TensorListGather(input_handle: _Any, indices: _Any, element_shape: _Any, element_dtype: _Any, name: str | None = None) -> Tensor:
    """The elements of a list at these indices, all of one shape, as the rows of a tensor."""

def TensorListGetItem(input_handle: _Any, index: _Any, element_shape: _Any, element_dtype: _Any, name: str | None = None, Tshape: _Any = None) -> Tensor:
    """An element of a list; zeros of `element_shape` if it has no value."""

def TensorListLength(input_handle: _Any, name: str | None = None) -> Tensor:
    """The number of elements of a list."""

def TensorListPopBack(input_handle: _Any, element_shape: _Any, element_dtype: _Any, name: str | None = None) -> _Any:
    """The list without its last element, and that element; zeros of `element_shape` if it has no value."""

def TensorListPushBack(input_handle: _Any, tensor: _Any, name: str | None = None, element_dtype: _Any = None) -> Tensor:
    """The list with one more element at its end."""

def TensorListPushBackBatch(input_handles: _Any, tensor: _Any, name: str | None = None, element_dtype: _Any = None) -> Tensor:
    """A vector of lists, each with one more element: a row of a tensor."""

def TensorListReserve(element_shape: _Any, num_elements: _Any, element_dtype: _Any, name: str | None = None, shape_type: _Any = None) -> Tensor:
    """A list of elements without values, which are read as zeros."""

def TensorListResize(input_handle: _Any, size: _Any, name: str | None = None) -> Tensor:
    """The list with `size` elements: the last ones are left out, or elements without values are added."""

def TensorListScatter(tensor: _Any, indices: _Any, element_shape: _Any, name: str | None = None, element_dtype: _Any = None, shape_type: _Any = None) -> Tensor:
    """A list with the rows of a tensor at these indices; the other elements have no values."""

def TensorListScatterIntoExistingList(input_handle: _Any, tensor: _Any, indices: _Any, name: str | None = None, element_dtype: _Any = None) -> Tensor:
    """The list with the rows of a tensor at these indices."""

def TensorListScatterV2(tensor: _Any, indices: _Any, element_shape: _Any, num_elements: _Any, name: str | None = None, element_dtype: _Any = None, shape_type: _Any = None) -> Tensor:
    """A list with the rows of a tensor at these indices, of `num_elements` elements if that is not -1."""

def TensorListSetItem(input_handle: _Any, index: _Any, item: _Any, resize_if_index_out_of_bounds: _Any = False, name: str | None = None, element_dtype: _Any = None) -> Tensor:
    """The list with another element at `index`."""

def TensorListSplit(tensor: _Any, element_shape: _Any, lengths: _Any, name: str | None = None, element_dtype: _Any = None, shape_type: _Any = None) -> Tensor:
    """A list of pieces of a tensor, cut along its first dimension: `lengths` says how long each is."""

def TensorListStack(input_handle: _Any, element_shape: _Any, element_dtype: _Any, num_elements: _Any = -1, name: str | None = None) -> Tensor:
    """The elements of a list, all of one shape, as the rows of a tensor. Those without values are zeros."""

def TensorScatterAdd(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """A copy of `tensor` with updates added at indices."""

def TensorScatterMax(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """A copy of `tensor` with the maximum taken at indices."""

def TensorScatterMin(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """A copy of `tensor` with the minimum taken at indices."""

def TensorScatterSub(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """A copy of `tensor` with updates subtracted at indices."""

def TensorScatterUpdate(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = b'', name: str | None = None, T: _Any = None, Tindices: _Any = None) -> Tensor:
    """A copy of `tensor` with updates put at indices."""

def TensorSliceDataset(components: _Any, output_shapes: _Any, is_files: _Any = False, metadata: _Any = b'', replicate_on_split: _Any = False, name: str | None = None, Toutput_types: _Any = None) -> Tensor:
    """An element for each row of the components."""

def TensorSummary(tensor: _Any, description: _Any = b'', labels: _Any = [], display_name: _Any = b'', name: str | None = None, T: _Any = None) -> Tensor:
    """A Summary with a tensor and the name of the operation; the other attributes are for readers of the graph."""

def TensorSummaryV2(tag: _Any, tensor: _Any, serialized_summary_metadata: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """A Summary with a tensor, and what a plugin of TensorBoard needs to show it."""

def TextLineDataset(filenames: _Any, compression_type: _Any, buffer_size: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The lines of files, without line ends."""

def TextLineReader(skip_header_lines: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is a line."""

def TextLineReaderV2(skip_header_lines: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is a line."""

def ThreadUnsafeUnigramCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """The same as LearnedUnigramCandidateSampler."""

def Tile(input: _Any, multiples: _Any, name: str | None = None, T: _Any = None, Tmultiples: _Any = None) -> Tensor:
    """Repeats a tensor multiples[d] times in each dimension d."""

def TileGrad(input: _Any, multiples: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """The gradient of Tile, in graphs of TensorFlow before 1.0: the sum of the copies."""

def Timestamp(name: str | None = None) -> Tensor:
    """Seconds since the epoch, when the op runs."""

def TopK(input: _Any, k: _Any, sorted: _Any = True, name: str | None = None, T: _Any = None) -> _Any:
    """The k largest elements of each row and their indices; of equal ones the first."""

def TopKV2(input: _Any, k: _Any, sorted: _Any = True, index_type: _Any = ..., name: str | None = None, T: _Any = None, Tk: _Any = None) -> _Any:
    """The k largest elements of each row and their indices; of equal ones the first."""

def Transpose(x: _Any, perm: _Any, name: str | None = None, T: _Any = None, Tperm: _Any = None) -> Tensor:
    """Permutes dimensions: dimension i of the output is dimension perm[i] of the input."""

def TridiagonalMatMul(superdiag: _Any, maindiag: _Any, subdiag: _Any, rhs: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Products of tridiagonal matrices, given by their diagonals, with matrices."""

def TridiagonalSolve(diagonals: _Any, rhs: _Any, partial_pivoting: _Any = True, perturb_singular: _Any = False, name: str | None = None, T: _Any = None) -> Tensor:
    """x with a x = rhs for tridiagonal matrices a, given by their diagonals; NaN where a is singular."""

def TruncateDiv(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y rounded towards zero."""

def TruncateMod(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Remainder of truncating division."""

def TruncatedNormal(shape: _Any, dtype: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None, T: _Any = None) -> Tensor:
    """Like RandomStandardNormal, drawn again where the magnitude is 2 or more."""

def UnbatchDataset(input_dataset: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The rows of elements as elements."""

def UnicodeDecode(input: _Any, input_encoding: _Any, errors: _Any = b'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, Tsplits: _Any = ..., name: str | None = None) -> _Any:
    """The code points of strings, as a ragged tensor."""

def UnicodeDecodeWithOffsets(input: _Any, input_encoding: _Any, errors: _Any = b'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, Tsplits: _Any = ..., name: str | None = None) -> _Any:
    """The code points of strings, as a ragged tensor, and the byte at which each begins."""

def UnicodeEncode(input_values: _Any, input_splits: _Any, output_encoding: _Any, errors: _Any = b'replace', replacement_char: _Any = 65533, name: str | None = None, Tsplits: _Any = None) -> Tensor:
    """Strings of code points, which are the rows of a ragged tensor."""

def UnicodeScript(input: _Any, name: str | None = None) -> Tensor:
    """The number of each code point's script; -1 for what is no code point."""

def UnicodeTranscode(input: _Any, input_encoding: _Any, output_encoding: _Any, errors: _Any = b'replace', replacement_char: _Any = 65533, replace_control_characters: _Any = False, name: str | None = None) -> Tensor:
    """Strings in another encoding. The encodings are UTF-8, UTF-16, UTF-32, US-ASCII and ISO-8859-1."""

def UniformCandidateSampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, seed: _Any = 0, seed2: _Any = 0, name: str | None = None) -> _Any:
    """Draws classes uniformly."""

def Unique(x: _Any, out_idx: _Any = ..., name: str | None = None, T: _Any = None) -> _Any:
    """The distinct values of a vector in order of appearance, and the index of each element's value."""

def UniqueDataset(input_dataset: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """The elements that did not come before."""

def UniqueV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: str | None = None, T: _Any = None, Taxis: _Any = None) -> _Any:
    """The distinct slices along an axis in order of appearance, and for each slice of x the index of its equal."""

def UniqueWithCounts(x: _Any, out_idx: _Any = ..., name: str | None = None, T: _Any = None) -> _Any:
    """Unique, and how often each value occurs."""

def UniqueWithCountsV2(x: _Any, axis: _Any, out_idx: _Any = ..., name: str | None = None, T: _Any = None, Taxis: _Any = None) -> _Any:
    """UniqueV2, and how often each slice occurs."""

def Unpack(value: _Any, num: _Any, axis: _Any = 0, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """Takes a tensor apart along a dimension, which disappears."""

def UnsortedSegmentJoin(inputs: _Any, segment_ids: _Any, num_segments: _Any, separator: _Any = b'', name: str | None = None, Tindices: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Joins the slices of each segment, element by element."""

def UnsortedSegmentMax(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Maximum of the slices of each segment; negative ids are left out."""

def UnsortedSegmentMin(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Minimum of the slices of each segment; negative ids are left out."""

def UnsortedSegmentProd(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Product of the slices of each segment; negative ids are left out."""

def UnsortedSegmentSum(data: _Any, segment_ids: _Any, num_segments: _Any, name: str | None = None, T: _Any = None, Tindices: _Any = None, Tnumsegments: _Any = None) -> Tensor:
    """Sum of the slices of each segment; negative ids are left out."""

def Unstage(dtypes: _Any, capacity: _Any = 0, memory_limit: _Any = 0, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> list[Tensor]:
    """Removes and returns the first tuple; waits while there is none."""

def UpperBound(sorted_inputs: _Any, values: _Any, out_type: _Any = ..., name: str | None = None, T: _Any = None) -> Tensor:
    """Last place in the sorted row where each value could be inserted."""

def VarHandleOp(dtype: _Any, shape: _Any, container: _Any = b'', shared_name: _Any = b'', debug_name: _Any = b'', allowed_devices: _Any = [], name: str | None = None) -> Tensor:
    """A handle of a variable, which keeps its value between steps."""

def VarIsInitializedOp(resource: _Any, name: str | None = None) -> Tensor:
    """Whether the variable has a value."""

def Variable(shape: _Any, dtype: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """VariableV2 as old graphs write it."""

def VariableShape(input: _Any, out_type: _Any = ..., name: str | None = None) -> Tensor:
    """The shape of the variable's value."""

def VariableV2(shape: _Any, dtype: _Any, container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """A reference to a variable, which keeps its value between steps."""

def Where(condition: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Coordinates of all elements that are true (not zero), in row-major order."""

def While(input: _Any, cond: _Any, body: _Any, output_shapes: _Any = [], parallel_iterations: _Any = 10, name: str | None = None, T: _Any = None) -> list[Tensor]:
    """Replaces its values by the results of `body` for them while `cond` of them is true."""

def WholeFileReader(container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is a whole file."""

def WholeFileReaderV2(container: _Any = b'', shared_name: _Any = b'', name: str | None = None) -> Tensor:
    """The handle of a reader, made when it is first needed. A record is a whole file."""

def WindowDataset(input_dataset: _Any, size: _Any, shift: _Any, stride: _Any, drop_remainder: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None) -> Tensor:
    """Elements whose components are datasets: of `size` elements each, every `stride`-th; the next one begins `shift` elements later."""

def WriteFile(filename: _Any, contents: _Any, name: str | None = None) -> Operation:
    """Writes a file."""

def Xdivy(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x / y, 0 where x is 0."""

def Xlog1py(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x * log1p(y), 0 where x is 0."""

def Xlogy(x: _Any, y: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """x * log(y), 0 where x is 0."""

def ZerosLike(x: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Zeros (false, empty strings) in the shape and type of `x`."""

def Zeta(x: _Any, q: _Any, name: str | None = None, T: _Any = None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k)^-x."""

def ZipDataset(input_datasets: _Any, output_types: _Any, output_shapes: _Any, metadata: _Any = b'', name: str | None = None, N: _Any = None) -> Tensor:
    """Elements that have the components of one element of each input."""
